import { createEngagement, type Overheard } from '../../../src/kit/ladder.ts';
import type { Message, ThreadRef } from '../../../src/kit.ts';
import { type Labelled, openState, ownText, type Player, type Written } from './playing.ts';

/** A channel that uses only the published kit. */
export function kitPlayer({ room, setting = 'alone' }: Labelled): Player {
  const { state, engaging, intake, last } = openState();
  const engagement = createEngagement(state);
  const thread: ThreadRef = { channel: 'own', tenant: 'T', room: 'R', key: 'thread', kind: room };
  let isFirst = true;
  return {
    answer: () => engaging.answered(thread),
    async write(written, at) {
      const message = messageOf(written, thread, at);
      const { mentions = [] } = written;
      const place = isFirst ? 'start' : 'thread';
      isFirst = false;
      // A channel does not pass on messages of bots.
      if (written.from === 'bot') return undefined;
      const asks =
        mentions.includes('app') ||
        (await engagement.isQuestion(
          {
            ...{ thread, by: written.from, at, text: message.text, place },
            hasMore: written.kind === 'file',
            other: otherIn(written),
          },
          setting,
        ));
      if (asks) await intake({ kind: 'ask', origin: originOf(message), message });
      return last();
    },
  };
}

/** A mention that the text does not contain stands first. */
const otherIn = ({ mentions: [name] = [], text = '' }: Written): Overheard['other'] =>
  name === undefined ? undefined : text.toLowerCase().indexOf(`@${name}`) > 0 ? 'later' : 'first';

const originOf = ({ id }: Message) => ({ kind: 'message', key: id, revision: 0 }) as const satisfies object;

function messageOf(written: Written, thread: ThreadRef, at: number): Message {
  return {
    ...{ id: `m${at}`, thread, text: ownText(written), quoted: [], files: [], sentAt: at, revision: 0 },
    sender: { id: written.from, name: written.from, standing: 'member' },
  };
}
