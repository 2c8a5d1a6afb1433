import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { GROWING, START } from '../../../../src/kit/emission.ts';
import { mend } from '../../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument, type ReplyWriter } from '../../../../src/kit.ts';
import { channelContract } from '../../../contract/channel-contract.ts';
import { openRig } from './rig.ts';

const { emit, markdown } = slackMarkdown;

/** Random stories per test. The ladder's own tests play more. */
const STORIES = 10;

/** Removes white space, which may differ between and around messages. */
const bare = (text: string): string => text.replace(/\s+/g, '');

function expected(document: ReplyDocument, rung: string, messages: number): string {
  const { text } = document;
  if (isFinal(document)) return bare(markdown(text));
  const said = emit(text, START, GROWING).out;
  if (rung === 'native') return bare(said);
  // A text whose meaning is still open, such as a hyphen that may begin a list, does not start a message.
  return said.trim() === '' && messages === 0 ? '' : bare(markdown(mend(text)));
}

/** Simulates scarce budgets, which allow only the last wanted move. */
function poor(writer: ReplyWriter): ReplyWriter {
  return { ...writer, next: (screen, document, now) => writer.next(screen, document, now).toReversed() };
}

for (const rung of ['native', 'edits', 'once'] as const) {
  channelContract(
    `Slack, ${rung},`,
    async () => {
      const rig = await openRig();
      return {
        ask: async () => rig.ask(),
        writer: (turn) => {
          const writer = rig.writer(turn, rung === 'native' ? 'always' : 'never');
          return rung === 'once' ? poor(writer) : writer;
        },
        shown: async (turn) => rig.texts(turn).map(bare),
        expected: (document, messages) => expected(document, rung, messages),
        close: rig.close,
      };
    },
    STORIES,
  );
}
