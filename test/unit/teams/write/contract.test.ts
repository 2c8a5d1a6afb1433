import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { GROWING, START } from '../../../../src/kit/emission.ts';
import { isFinal, type ReplyDocument, type ReplyWriter } from '../../../../src/kit.ts';
import { channelContract } from '../../../contract/channel-contract.ts';
import { context, whole } from '../render/messages.ts';
import { type Kind, openRig, type Rig } from './rig.ts';

/** Random stories per test. The ladder's own tests play more. */
const STORIES = 10;

/** Removes white space between and around messages, which is not part of the answer. */
const bare = (text: string): string => text.replace(/\s+/g, '');

const { emit } = emitterOf('markdown');

function expected(document: ReplyDocument, streams: boolean): string {
  if (isFinal(document)) return bare(whole(document, context).text);
  const said = emit(document.text, START, GROWING).out;
  if (streams) return bare(said);
  return said.trim() === '' && document.steps.length === 0 ? '' : bare(whole(document, context).text);
}

/** Lets 1.1 s pass before each call, because Teams limits streams to one call per second. */
function slowly(writer: ReplyWriter, rig: Rig): ReplyWriter {
  return {
    ...writer,
    perform(move, signal) {
      rig.pass(1_100);
      return writer.perform(move, signal);
    },
  };
}

const ways: readonly (readonly [string, Kind, boolean])[] = [
  ['a stream in a personal chat', 'direct', true],
  ['edits in a personal chat', 'direct', false],
  ['edits in a channel that may be read', 'room', false],
  ['edits in a group chat that may be read', 'group', false],
];

for (const [name, kind, streams] of ways) {
  channelContract(
    `Teams, ${name},`,
    async () => {
      const rig = await openRig();
      return {
        ask: async () => rig.ask(kind),
        writer: (turn) => slowly(rig.writer(turn, { streams, reads: true }), rig),
        shown: async (turn) => rig.texts(turn).map(bare),
        expected: (document) => expected(document, streams),
        // The app cannot read messages in personal chats, so the contract must not require look-ups there.
        ...(kind === 'direct' && { blind: true as const }),
        close: rig.close,
      };
    },
    STORIES,
  );
}
