/** Acts of the live check that need nobody: the check asks, and reads in Slack what the answer has become. */

import { type LiveAct, LiveFault, type Plain } from '../../../src/kit/ladder.ts';
import { answered, contentOf, LAST_WORD, type LiveChat, reader } from './chat.ts';

interface ExpectedAnswer {
  readonly proves: string;
  /** Texts that the messages must contain: words, or parts of the JSON of blocks and files. */
  readonly shows: readonly (string | RegExp)[];
  readonly never?: RegExp;
  fits?(messages: readonly Plain[]): boolean;
}

/** Acts by name, which is also the question to the scripted agent. */
const answers: Readonly<Record<string, ExpectedAnswer>> = {
  table: { proves: 'A table arrives with all its cells', shows: ['Oak', '12', 'Elm', '8', 'Two rooms.'] },
  code: {
    proves: 'Code arrives as code',
    shows: ['const seats: number = 12;', /```|rich_text_preformatted/, 'Done.'],
  },
  picture: {
    proves: 'A picture is uploaded and shown',
    shows: ['Here is a picture.', /"type":"image"|"mimetype":"image\/png"/],
  },
  attachment: { proves: 'A file is a named link', shows: ['handbook.pdf', 'example.com'] },
  documents: { proves: 'Sources are listed under the answer', shows: ['Handbook', 'Guide'] },
  steps: { proves: 'The answer follows the steps of an agent', shows: ['Two steps led here.'] },
  marks: {
    proves: 'Words of an agent call nobody: <!here> stays text',
    shows: ['Nobody is called'],
    never: /<!here>|"type":"broadcast"/,
  },
  letters: { proves: 'Letters of all scripts arrive unchanged', shows: ['Zürich, 東京, Ωmega'] },
  long: {
    proves: 'A long answer continues in further messages, complete and in order',
    shows: [],
    fits: (messages) => messages.length > 1 && isComplete(messages.map(contentOf)),
  },
};

/** Number of the words w0000, w0001, … of the long answer. */
const LONG_WORDS = 4_000;

/** True if the messages contain each word once and in order. The text and the blocks of a message repeat each other. */
function isComplete(messages: readonly string[]): boolean {
  const all = messages.flatMap((content) => [...new Set(content.match(/w\d{4}/g))]);
  return all.length === LONG_WORDS && all.every((word, at) => word === `w${String(at).padStart(4, '0')}`);
}

export const answerActs = (chat: LiveChat): readonly LiveAct[] => [
  ...Object.entries(answers).map(([name, { proves, shows, never, fits }]): LiveAct => {
    const isShown = (content: string, messages: readonly Plain[]): boolean =>
      shows.every((part) => (typeof part === 'string' ? content.includes(part) : part.test(content))) &&
      never?.test(content) !== true &&
      (fits?.(messages) ?? true);
    return {
      name,
      proves,
      by: 'tool',
      needs: ['mention'],
      async perform(stage) {
        const { thread } = await answered(chat, stage, name);
        await reader(chat, stage)(thread, isShown);
      },
    };
  }),
  {
    name: 'growth',
    proves: 'An answer in a channel grows by edits that Slack accepts',
    by: 'tool',
    needs: ['mention'],
    async perform(stage) {
      const { thread } = await answered(chat, stage, 'count');
      const edits = stage.calls().filter(({ method }) => method === 'chat.update');
      stage.measure('edits', edits.length);
      const [refused] = edits.flatMap((edit) => edit.refused ?? []);
      if (refused !== undefined) throw new LiveFault(`Slack refused an edit: ${refused}.`);
      if (edits.length < 2) throw new LiveFault('The answer did not grow.');
      await reader(chat, stage)(thread, (content) => content.includes(LAST_WORD));
    },
  },
];
