import { takeIn } from '../../../adapters/teams/inbound/intake.ts';
import { decodeActivity } from '../../../adapters/teams/receive/decode.ts';
import { createEngagement } from '../../../src/kit/ladder.ts';
import { type Labelled, openState, type Player, type Written, withMentions } from './playing.ts';

const TENANT = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee';
const TYPES = { room: 'channel', group: 'groupChat', direct: 'personal' } as const;
const CONVERSATIONS = {
  room: '19:room@thread.tacv2',
  group: '19:group@thread.v2',
  direct: 'a:chat',
} as const;

/** Activities of one thread, of an app that may read all messages. */
export function teamsPlayer({ room, setting = 'alone' }: Labelled): Player {
  const { state, engaging, intake, last } = openState();
  const rules = { tenant: TENANT, allMessages: true, targeted: false };
  const talk = {
    host: { intake, agents: () => [], mentionRule: () => setting },
    engagement: createEngagement(state),
    once: (_: string, work: () => Promise<void>) => work(),
    refuse: async () => undefined,
  };
  let root: string | undefined;
  return {
    async answer() {
      const id = CONVERSATIONS[room];
      const key = room === 'room' ? (root ?? '') : id;
      await engaging.answered({ channel: 'teams', tenant: TENANT, room: id, key, kind: room });
    },
    async write(written, at) {
      const id = String(at);
      root ??= id;
      const event = decodeActivity({
        ...activityOf(written, room, root),
        id,
        timestamp: new Date(at).toISOString(),
      });
      if (event?.kind === 'said') await takeIn(event, talk, rules);
      return last();
    },
  };
}

function activityOf(written: Written, room: Labelled['room'], root: string) {
  const mark = (name: string) => `<at>${name}</at>`;
  const text = withMentions(written, mark);
  const id = CONVERSATIONS[room] + (room === 'room' ? `;messageid=${root}` : '');
  return {
    ...{ type: 'message', serviceUrl: 'https://smba.example/amer/', channelId: 'msteams', text },
    from: fromOf(written),
    recipient: { id: '28:app', name: 'app' },
    conversation: { id, conversationType: TYPES[room], tenantId: TENANT, isGroup: room !== 'direct' },
    channelData: { tenant: { id: TENANT }, ...(room === 'room' && { team: { id: '19:team@thread.tacv2' } }) },
    entities: (written.mentions ?? []).map((name) => ({
      ...{ type: 'mention', text: mark(name) },
      mentioned: { id: name === 'app' ? '28:app' : `29:${name}`, name },
    })),
    attachments: attachmentsOf(written, text),
  };
}

/** Another app has an id that begins with `28:`, and no id in the directory. */
const fromOf = ({ from: name }: Written) =>
  name === 'bot' ? { id: '28:other', name } : { id: `29:${name}`, aadObjectId: `id-${name}`, name };

function attachmentsOf({ kind }: Written, text: string): readonly object[] {
  const html = (content: string) => ({ contentType: 'text/html', content });
  if (kind === 'gif')
    return [
      html(
        '<p><img alt="cat (GIF Image)" src="https://media.example/cat.gif" itemtype="http://schema.skype.com/Giphy"></p>',
      ),
    ];
  if (kind === 'sticker')
    return [
      html(
        '<p><img alt="sticker" src="https://stickers.example/1.png" itemtype="http://schema.skype.com/Sticker"></p>',
      ),
    ];
  if (kind === 'praise' || kind === 'card') {
    const body = [{ type: 'TextBlock', text: 'Well done' }];
    return [
      { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard', body } },
    ];
  }
  if (kind !== 'file') return [html(`<p>${text}</p>`)];
  const content = { downloadUrl: 'https://files.example/plan.pdf', fileType: 'pdf' };
  return [{ contentType: 'application/vnd.microsoft.teams.file.download.info', name: 'plan.pdf', content }];
}
