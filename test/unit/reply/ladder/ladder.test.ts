/**
 * Tests the ladder (streams, else edits, else one post) on a channel in memory: the contract of every writer, and
 * channels that respond wrongly, late or not at all.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { START } from '../../../../src/kit/emission.ts';
import { createLadder, type Screen } from '../../../../src/kit/ladder.ts';
import { isFinal, type Move, type ReplyDocument, turnId } from '../../../../src/kit.ts';
import { channelContract } from '../../../contract/channel-contract.ts';
import { turn as turnOf } from '../../../fakes/samples.ts';
import { blank } from '../markdown/documents.ts';
import { createMemory, emitter, type Memory, type PlannedOutcome } from './memory-surface.ts';

const bare = (text: string): string => text.replace(/\s+/g, '');
const shownBy = ({ messages }: Memory): readonly string[] =>
  messages
    .filter(({ deleted }) => !deleted)
    .toSorted((one, other) => one.part - other.part)
    .map(({ text }) => bare(text));
const expected = (document: ReplyDocument): string =>
  bare(
    isFinal(document)
      ? emitter.markdown(document.text)
      : emitter.emit(document.text, START, { ended: false }).out,
  );

/** Returns the words that people see of a text whose last link, table or code may be incomplete. */
const visible = (text: string): string => text.replaceAll(/```(?:ts)?|\]?\(https[^)]*\)?|[|[\]-]/g, '');

let asked = 0;
const ask = () => turnOf({ id: turnId(`turn-${++asked}`) });

for (const way of ['stream', 'edits', 'once'] as const) {
  channelContract(`The ladder, ${way},`, async () => {
    const memories = new Map<string, Memory>();
    return {
      ask: async () => ask(),
      writer(turn) {
        const ways = { stream: ['stream', 'edits'], edits: ['edits'], once: ['edits', 'once'] } as const;
        const memory = memories.get(turn.id) ?? createMemory(ways[way]);
        memories.set(turn.id, memory);
        const writer = createLadder(turn, memory.surface);
        if (way !== 'once') return writer;
        // As with scarce budgets, only the last of the requested moves is made.
        return { ...writer, next: (...view) => writer.next(...view).toReversed() };
      },
      shown: async ({ id }) => {
        const memory = memories.get(id);
        return memory === undefined ? [] : shownBy(memory);
      },
      expected,
      close: async () => undefined,
    };
  });
}

/** Maximum number of moves; a screen that needs more never settles. */
const MANY = 80;

class Play {
  readonly turn = ask();
  readonly memory: Memory;
  readonly writer;
  document: ReplyDocument;
  screen: Screen;
  now = 1_000;

  constructor(ways: readonly ('stream' | 'edits' | 'once')[]) {
    this.memory = createMemory(ways);
    this.writer = createLadder(this.turn, this.memory.surface);
    this.screen = this.writer.blank();
    this.document = { ...blank, turn: this.turn.id, version: 1, state: 'thinking' };
  }

  async show(text: string, state: ReplyDocument['state'] = 'writing'): Promise<this> {
    const { document } = this;
    const rewrites = document.rewrites + (text.startsWith(document.text) ? 0 : 1);
    this.document = { ...document, text, state, rewrites, version: document.version + 1 };
    for (let made = 0; await this.step(); made++)
      if (made > MANY) throw new Error(`Not at rest after ${this.memory.calls.slice(-8).join(', ')}`);
    return this;
  }

  next(): Move | undefined {
    return this.writer.next(this.screen, this.document, this.now)[0];
  }

  async step(): Promise<boolean> {
    this.now += 100;
    const move = this.next();
    if (move === undefined) return false;
    const outcome = await this.writer.perform(move, new AbortController().signal);
    this.screen = JSON.parse(JSON.stringify(this.writer.after(this.screen, move, outcome, this.now)));
    return true;
  }

  /** Makes one call, and loses its outcome together with the process. */
  async crash(): Promise<void> {
    const move = this.next();
    if (move !== undefined) await this.writer.perform(move, new AbortController().signal);
    this.takeOver();
  }

  takeOver(): void {
    this.screen = this.writer.resume(JSON.parse(JSON.stringify(this.screen)));
  }
}

const outcomes: readonly PlannedOutcome[] = ['hidden', 'lost', 'nameless', 'busy', 'ended', 'odd'];
/**
 * Calls that a test may refuse with `odd`. If another call, such as an edit, were refused in this way, its message
 * could no longer be changed.
 */
const SIMPLER: readonly string[] = ['start', 'post', 'append'];
const lie = fc.record({ after: fc.nat(2), outcome: fc.constantFrom(...outcomes) });
const beat = fc.record({
  text: fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abc XYZ.,!?'), minLength: 1, maxLength: 12 }),
    fc.nat(90).map((count) => Array.from({ length: count }, (_, at) => `Sentence ${at} of it. `).join('')),
  ),
  how: fc.constantFrom('grow', 'grow', 'grow', 'rewrite', 'start again', 'crash', 'take over', 'wait'),
  lies: fc.array(lie, { maxLength: 2 }),
});

it.each([
  ['stream', 'edits'],
  ['edits'],
  ['stream', 'edits', 'once'],
] as const)('the whole answer is shown once on a channel that lies, delays and forgets: %s', (...ways) =>
  fc.assert(
    fc.asyncProperty(fc.array(beat, { maxLength: 8 }), async (beats) => {
      const play = new Play(ways);
      for (const { text, how, lies } of beats) {
        let made = 0;
        play.memory.outcome = ({ kind }) => {
          const at = made++;
          const { outcome = 'done' } = lies.find(({ after }) => after === at) ?? {};
          return outcome === 'odd' && !SIMPLER.includes(kind) ? 'busy' : outcome;
        };
        if (how === 'take over') play.takeOver();
        if (how === 'wait') play.now += 70_000;
        if (how === 'crash') await play.crash();
        const before = how === 'start again' ? '' : play.document.text;
        await play.show(how === 'rewrite' ? text + before.slice(1) : before + text);
      }
      play.memory.outcome = () => 'done';
      await play.show(play.document.text, 'done');
      expect(play.screen.finished).toBe(true);
      expect(play.memory.messages.filter(({ live, deleted }) => live && !deleted)).toEqual([]);
      expect(shownBy(play.memory).join('')).toBe(expected(play.document));
    }),
    { numRuns: 300 },
  ));

it.each([
  'unknown',
  'lost with the process',
])('text that an edit added to a single post stays if its outcome is %s', async (how) => {
  const play = new Play(['once']);
  await play.show('One.\n\n');
  expect(play.screen.rung).toBe('once');
  play.document = { ...play.document, text: 'One.\n\nTwo.', state: 'done', version: 9 };
  if (how === 'unknown') {
    play.memory.outcome = () => 'hidden';
    await play.step();
  } else await play.crash();
  play.memory.outcome = () => 'done';
  const seen = () => shownBy(play.memory).join('');
  do expect(seen()).toBe('One.Two.');
  while (await play.step());
  expect(play.memory.messages).toHaveLength(1);
});

it('a text is posted again when its edits never succeed, and the first message stays', async () => {
  const play = new Play(['edits']);
  await play.show('Half');
  play.memory.outcome = ({ kind }) => (kind === 'update' ? 'lost' : 'done');
  await play.show('Half and whole', 'done');
  expect(shownBy(play.memory)).toEqual(['Half', 'Halfandwhole']);
});

it.each([
  'step',
  'crash',
] as const)('text is posted again after a deletion without an answer: %s', async (way) => {
  const play = new Play(['edits']);
  const long = 'A sentence of the answer. '.repeat(200);
  await play.show(long);
  expect(shownBy(play.memory).length).toBeGreaterThan(1);
  play.document = { ...play.document, text: 'Again', rewrites: 1, version: 9 };
  play.memory.outcome = ({ kind }) => (kind === 'delete' ? 'hidden' : 'done');
  while (play.next()?.family !== 'delete') await play.step();
  await play[way]();
  play.memory.outcome = () => 'done';
  await play.show(long.replaceAll('answer', 'reply'), 'done');
  expect(shownBy(play.memory).join('')).toBe(expected(play.document));
});

it('no second message with the same text is opened while the first may exist', async () => {
  const play = new Play(['edits']);
  play.memory.outcome = ({ kind }) => (kind === 'post' ? 'hidden' : 'done');
  await play.show('Some');
  expect(play.memory.calls).toEqual(['post hidden', 'find done', 'find done', 'update done']);
  expect(shownBy(play.memory)).toEqual(['Some']);
});

it('a stream gets no append after an append of unknown outcome', async () => {
  const play = new Play(['stream']);
  await play.show('One');
  play.memory.outcome = ({ kind }) => (kind === 'append' ? 'hidden' : 'done');
  await play.show('One two');
  await play.show('One two three', 'done');
  expect(play.memory.calls.slice(1)).toEqual(['append hidden', 'stop done', 'update done', 'update done']);
});

const LINE = 'The warranty covers every part for two years, see [page 9](https://example.com/9). ';
const GROWING_TEXTS: readonly (readonly [string, string])[] = [
  ['one long line', LINE.repeat(120)],
  ['paragraphs', `${LINE.repeat(3)}\n\n`.repeat(40)],
  ['a list', `- ${LINE}\n`.repeat(120)],
  ['code', `\`\`\`ts\n${'const answer = 42;\n'.repeat(500)}\`\`\`\n`],
];

const PACES = GROWING_TEXTS.flatMap(([name, text]) =>
  (['stream', 'edits'] as const).flatMap((way) =>
    [1, 23, 90, 400].map((piece) => [name, way, piece, text] as const),
  ),
);

/** Shows the text piece by piece, and expects after each call that people see all words that they saw before. */
async function grow(play: Play, text: string, { from = 3_800, to: end = 4_500, piece = 90 }): Promise<void> {
  let seen = '';
  const settle = async () => {
    while (await play.step()) {
      const before = seen;
      seen = visible(shownBy(play.memory).join(''));
      if (!seen.includes(before))
        expect.fail(`${play.memory.calls.at(-1)}: ${before.length} became ${seen.length}`);
    }
  };
  for (let to = from; to < end; to += piece) {
    // A stream that lives too long would end before it is full.
    play.now = 1_000;
    play.document = { ...play.document, text: text.slice(0, to), version: to };
    await settle();
  }
  play.document = { ...play.document, state: 'done', version: end };
  await settle();
}

it.each(
  PACES,
)('a message that becomes full keeps the words that people saw: %s, %s, %i characters at a time', async (_, way, piece, text) => {
  const play = new Play([way]);
  await grow(play, text, { piece });
  expect(shownBy(play.memory)).toHaveLength(2);
});

/** Refusals of a growing message: the outcome of each call, and how often it is refused. */
const REFUSALS: readonly (readonly [PlannedOutcome, number])[] = [
  ['big', 1],
  ['big', 2],
  ['big', 100],
  ['odd', 1],
  ['odd', 100],
];
/** Lengths of the text when the channel refuses its next change. */
const MOMENTS = [700, 2_100, 3_900];

it.each(
  PACES.filter(([, , piece]) => piece > 1).flatMap(([name, way, piece, text]) =>
    REFUSALS.flatMap(([outcome, times]) =>
      MOMENTS.map((at) => [name, way, piece, outcome, times, at, text] as const),
    ),
  ),
)('a refused change takes no words back: %s, %s, %i characters at a time, %s %i times after %i characters', async (_, way, piece, outcome, times, at, text) => {
  const play = new Play([way, 'edits']);
  let left = times;
  play.memory.outcome = ({ kind, document }) =>
    kind !== 'start' && kind !== 'post' && document.text.length > at && left-- > 0 ? outcome : 'done';
  await grow(play, text, { from: 500, to: 5_500, piece: 2 * piece });
  expect(left).toBeLessThan(times);
  expect(play.screen.finished).toBe(true);
  expect(visible(shownBy(play.memory).join('')).endsWith(visible(expected(play.document)))).toBe(true);
});

it('a row of a table that does not fit goes into the next message as a whole', async () => {
  const text = `| one | two |\n|---|---|\n${`| ${LINE} | 2 |\n`.repeat(100)}`;
  const play = new Play(['edits']);
  for (let to = 3_800; to < 4_500; to += 23) await play.show(text.slice(0, to));
  expect(play.memory.messages[0]?.text).toMatch(/\| 2 \|\n$/);
  expect(play.memory.messages[1]?.text).toMatch(/^\| one \| two \|\n\|---\|---\|\n\| The warranty/);
});

it('a second stream continues with the fence reopened when the first is full', async () => {
  const play = new Play(['stream']);
  const text = `\`\`\`ts\n${'const answer = 42;\n'.repeat(300)}\`\`\`\nEnd.`;
  for (let to = 100; to < text.length; to += 1_000) await play.show(text.slice(0, to));
  await play.show(text, 'done');
  const [first, second] = play.memory.messages;
  expect(play.memory.messages).toHaveLength(2);
  expect(first?.text).toMatch(/```\s*$/);
  expect(second?.text).toMatch(/^```ts\n/);
});
