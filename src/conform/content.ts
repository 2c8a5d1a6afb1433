/** Checks that people can read everything that a reply says, and nothing that it does not say. */

import type { ReplyDocument, Source } from '../core/reply.ts';
import type { Check } from './check.ts';
import { inTime, seen } from './limits.ts';
import { begin, type Play } from './play.ts';
import type { Stage } from './stage.ts';
import { expectTrue, NotChecked, plainOf } from './violation.ts';

/** Letters of several scripts and of two UTF-16 units each. The last letter occurs only once. */
export const LETTERS = 'Grüße, naïve, Ωμέγα, Привет, שלום, 日本語, 👍🏽 und ŝ';
const MARKDOWN =
  'A **bold** word, some `code` and a [link](https://docs.example/page).\n\n## A heading\n\nThe end.';
const MARKS = ['**', '](', '## ', '`code`'];
const NOTICE = 'The answer was interrupted. Press Retry to ask again.';
const source: Source = {
  key: 's1',
  title: 'Handbook of Visitors',
  kind: 'document',
  mark: 1,
  link: 'https://docs.example/visitors',
  fragments: [{ text: 'A pass is valid for one day.' }],
};
/** Maximum time until a change is visible, in milliseconds. */
const VISIBLE_MS = 1_000;

export const content: readonly Check[] = [
  {
    id: 'content.letters',
    proves: 'An answer is shown with every letter of every script, to its last letter',
    async run(stage) {
      const play = await begin(stage);
      for (const text of [LETTERS.slice(0, 11), LETTERS.slice(11, 30), LETTERS.slice(30)]) {
        play.change({ kind: 'append', text });
        await play.comeToRest();
      }
      play.end('done');
      await play.comeToRest();
      await expectToRead(play, 'The answer is not shown with all its letters.', LETTERS);
    },
  },
  {
    id: 'content.markdown',
    proves: 'A chat that shows plain text gets no marks of Markdown',
    missing: ({ showsMarkdown }) => (showsMarkdown ? 'the rig says that the chat shows Markdown' : undefined),
    async run(stage) {
      const play = await shownWith(stage, { text: MARKDOWN });
      const text = (await play.shown()).join('\n');
      const raw = MARKS.filter((mark) => text.includes(mark));
      expectTrue('The reply shows the marks of Markdown.', raw.length === 0, 'text without them', text);
      for (const words of ['bold', 'code', 'link', 'A heading', 'The end.'])
        await expectToRead(play, 'Words of the Markdown are missing.', words);
    },
  },
  {
    id: 'content.notices',
    proves: 'People read the notices of a reply',
    async run(stage) {
      const notices = [{ tone: 'warning', text: NOTICE }] as const;
      const play = await shownWith(stage, { text: 'An answer.', state: 'partial', notices });
      await expectToSee(stage, play, 'A notice of the reply is not shown.', NOTICE.slice(0, 27));
    },
  },
  {
    id: 'content.sources',
    proves: 'People find the sources of an answer',
    async run(stage) {
      const play = await shownWith(stage, { text: 'One day [1].', sources: [source] });
      await expectToSee(stage, play, 'A source of the answer is not shown.', source.title);
    },
  },
  {
    id: 'content.late-sources',
    proves: 'People find sources that arrive after the end of the answer',
    async run(stage) {
      const play = await shownWith(stage, { text: 'One day [1].' });
      play.set({ sources: [source] });
      await play.comeToRest();
      await expectToSee(stage, play, 'A source that arrived late is not shown.', source.title);
    },
  },
];

async function shownWith(stage: Stage, members: Partial<ReplyDocument>): Promise<Play> {
  const play = await begin(stage);
  play.set({ state: 'done', ...members });
  await play.comeToRest();
  return play;
}

async function expectToRead(play: Play, what: string, words: string): Promise<void> {
  const text = plainOf((await play.shown()).join('\n'));
  expectTrue(what, text.includes(plainOf(words)), words, text);
}

/** Throws unless the words are anywhere in the reply. What `seen` of the rig does not return, the check cannot judge. */
async function expectToSee(
  { rig, questionOf }: Stage,
  play: Play,
  what: string,
  words: string,
): Promise<void> {
  const question = questionOf(play.turn);
  const textOf = () => inTime('"seen"', async () => (await (rig.seen ?? rig.shown)(question)).join('\n'));
  const found = await seen(
    async () => (plainOf(await textOf()).includes(words) ? true : undefined),
    rig.seen === undefined ? 0 : VISIBLE_MS,
  );
  if (found === undefined && rig.seen === undefined)
    throw new NotChecked('the rig has no "seen", and "shown" does not return it');
  expectTrue(what, found === true, words, await textOf());
}
