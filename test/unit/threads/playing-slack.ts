import type { Workspace } from '../../../adapters/slack/api/workspace.ts';
import { takeIn } from '../../../adapters/slack/inbound/intake.ts';
import { decodeEvent } from '../../../adapters/slack/receive/decode.ts';
import { createEngagement } from '../../../src/kit/ladder.ts';
import type { ThreadRef } from '../../../src/kit.ts';
import { type Labelled, openState, type Player, type Written, withMentions } from './playing.ts';

const workspace: Workspace = { tenant: 'T0ACME', botUser: 'U0APP', botId: 'B0APP', token: 'xoxb-secret' };
const TYPES = { room: 'channel', group: 'mpim', direct: 'im' } as const;
const CHANNELS = { room: 'C0ROOM', group: 'G0GROUP', direct: 'D0CHAT' } as const;
const user = (name: string) => `U0${name.toUpperCase().replace(/[^A-Z0-9]/g, '')}`;
const tsOf = (at: number) => `${at / 1_000}.000100`;

/** Slack's events of one thread. */
export function slackPlayer({ room, setting = 'alone' }: Labelled): Player {
  const { state, engaging, intake, last } = openState();
  const deps = {
    host: { intake, agents: () => [], mentionRule: () => setting },
    engagement: createEngagement(state),
    once: (_: string, work: () => Promise<void>) => work(),
    refuse: async () => undefined,
  };
  let root: string | undefined;
  return {
    async answer() {
      const place = { channel: 'slack', tenant: workspace.tenant, room: CHANNELS[room] };
      const thread: ThreadRef = { ...place, key: root ?? '', kind: room };
      await engaging.answered(thread);
    },
    async write(written, at) {
      const ts = tsOf(at);
      const event = decodeEvent({
        ...{ type: 'message', channel: CHANNELS[room], channel_type: TYPES[room], ts, event_ts: ts },
        ...{ user: user(written.from), team: workspace.tenant },
        text: withMentions(written, (name) => `<@${user(name)}>`),
        ...(root !== undefined && room !== 'direct' && { thread_ts: root }),
        ...partsOf(written),
        ...(written.from === 'bot' && { bot_id: 'B0OTHER' }),
      });
      root ??= ts;
      if (event !== undefined) await takeIn(event, workspace, deps);
      return last();
    },
  };
}

function partsOf({ kind }: Written): object {
  const file = (name: string, mimetype: string) => ({
    subtype: 'file_share',
    files: [{ id: 'F1', name, mimetype, size: 9, url_private_download: 'https://files.slack.com/f' }],
  });
  if (kind === 'gif') return file('cat.gif', 'image/gif');
  if (kind === 'file') return file('plan.pdf', 'application/pdf');
  // A card of another app is a message of a bot (https://docs.slack.dev/reference/events/message).
  return kind === 'praise' || kind === 'card'
    ? { bot_id: 'B0OTHER', attachments: [{ fallback: 'Well done' }] }
    : {};
}
