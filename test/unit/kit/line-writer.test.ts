/** Tests `lineWriter` over a chat in memory that keeps what it showed. */

import { describe, expect, test } from 'vitest';
import { begin as blankReply } from '../../../src/core/live-reply/compose.ts';
import { change, type ReplyDocument } from '../../../src/core/reply.ts';
import type { Outcome, Screen } from '../../../src/core/screen.ts';
import { lineWriter } from '../../../src/kit/line-writer.ts';
import { plainLines } from '../../../src/kit/plain-lines.ts';
import { source as sampleSource, turn as sampleTurn } from '../../fakes/samples.ts';

const turn = sampleTurn();

function chat(outcomes: Outcome[] = []) {
  const lines: string[] = [];
  const open = () =>
    lineWriter({
      turn,
      split: (markdown) => plainLines(markdown, 60),
      send(line) {
        const outcome = outcomes.shift() ?? { kind: 'done' };
        if (outcome.kind === 'done') lines.push(line);
        return outcome;
      },
    });
  return { lines, open };
}

type Writer = ReturnType<ReturnType<typeof chat>['open']>;

/** Makes calls until nothing is left to send, or until there were `most` calls. */
async function show(
  writer: Writer,
  document: ReplyDocument,
  from = writer.blank(),
  most = 50,
): Promise<Screen> {
  let screen = from;
  for (let calls = 0; calls < most; calls++) {
    const [move] = writer.next(screen, document, 0);
    if (move === undefined) return screen;
    screen = writer.after(screen, move, await writer.perform(move, new AbortController().signal), 0);
  }
  return screen;
}

const blank = blankReply(turn.id);
const growing = (text: string) => change(blank, { state: 'writing', text });
const ended = (text: string, more: Partial<ReplyDocument> = {}) =>
  change(blank, { state: 'done', text, ...more });
const stored = (screen: Screen): Screen => JSON.parse(JSON.stringify(screen));

describe('a growing answer', () => {
  test('is sent block by block, once a block can no longer change', async () => {
    const { lines, open } = chat();
    const writer = open();
    let screen = await show(writer, blank);
    screen = await show(writer, growing('One'), screen);
    expect(lines).toEqual([]);
    screen = await show(writer, growing('One **word**.\n\nTwo'), screen);
    expect(lines).toEqual(['One word.']);
    const code = 'One **word**.\n\nTwo\n\n```\na\n\nb\n```\n\nThree';
    screen = await show(writer, growing(code), screen);
    expect(lines).toEqual(['One word.', 'Two', 'a', 'b']);
    expect(screen.finished).toBe(false);
    screen = await show(writer, ended(code), screen);
    expect(lines.at(-1)).toBe('Three');
    expect(screen).toMatchObject({ finished: true, parts: [{ from: 0, sure: true }] });
  });

  test('after a restart in the middle of a block, continues with exactly the next line', async () => {
    const { lines, open } = chat();
    const text = Array.from({ length: 12 }, (_, at) => `- line ${at}`).join('\n');
    const first = open();
    const screen = await show(first, ended(text), first.blank(), 5);
    expect(lines).toHaveLength(5);
    const second = open();
    // The next process counts rewrites anew.
    await show(second, { ...ended(text), rewrites: 3 }, second.resume(stored(screen)));
    expect(lines).toEqual(Array.from({ length: 12 }, (_, at) => `- line ${at}`));
  });

  test('that was replaced is sent again as a whole, once it is complete', async () => {
    const { lines, open } = chat();
    const writer = open();
    const screen = await show(writer, growing('Old.\n\nOlder'));
    const other = { ...growing('New.\n\nNewer'), rewrites: 1 };
    const same = await show(writer, other, screen);
    expect(lines).toEqual(['Old.']);
    await show(writer, { ...other, state: 'done' }, same);
    expect(lines).toEqual(['Old.', 'The answer has changed. The new answer:', 'New.', 'Newer']);
  });

  test('whose text is still to come says why it waits', async () => {
    const { lines, open } = chat();
    await show(open(), change(blank, { postponed: true, meanwhile: 'The platform is down.' }));
    expect(lines).toEqual(['The platform is down.']);
  });
});

describe('below the answer', () => {
  const source = sampleSource({ title: 'Handbook', link: 'https://docs.test/h' });

  test('notices and sources follow, and sources that arrive late are lines of their own', async () => {
    const { lines, open } = chat();
    const writer = open();
    const first = ended('Text.', { notices: [{ tone: 'warning', text: 'Take\ncare.' }] });
    const screen = await show(writer, first);
    expect(lines).toEqual(['Text.', '⚠ Take care.']);
    expect(screen.finished).toBe(true);
    const late = change(first, { sources: [source] });
    expect(writer.next(screen, late, 0)[0]?.essential).toBe(true);
    await show(writer, late, writer.resume(stored(screen)));
    expect(lines).toEqual(['Text.', '⚠ Take care.', '1. Handbook (https://docs.test/h)']);
  });

  test('words take the place of buttons', async () => {
    const { lines, open } = chat();
    await show(open(), ended('', { state: 'failed', retry: true, suggestions: ['Why?', 'How **so**?'] }));
    expect(lines).toEqual([
      'The agent returned no text.',
      'To ask again, send retry.',
      'To ask one of these questions, send its number:',
      '1. Why?',
      '2. How **so**?',
    ]);
  });
});

test('a line of unknown outcome is sent again, and after "gone" there is no further line', async () => {
  const { lines, open } = chat([{ kind: 'unknown' }, { kind: 'done' }, { kind: 'refused', why: 'gone' }]);
  const writer = open();
  const screen = await show(writer, ended('One\n\nTwo\n\nThree'));
  expect(lines).toEqual(['One']);
  expect(screen.finished).toBe(true);
  expect(writer.next(writer.resume(stored(screen)), ended('One\n\nTwo\n\nThree'), 0)).toEqual([]);
});

test('lines that are too long are split between words, or else between characters', () => {
  expect(plainLines('**One** two three\n\nfour', 8)).toEqual(['One two', 'three', 'four']);
  expect(plainLines('äöüäöü x', 4, Buffer.byteLength)).toEqual(['äö', 'üä', 'öü', 'x']);
  expect(plainLines('👍🏽👍🏽', 8, Buffer.byteLength)).toEqual(['👍🏽', '👍🏽']);
});

test('nothing is sent for a question that was deleted', async () => {
  const { lines, open } = chat();
  await show(open(), change(blank, { state: 'withdrawn', text: 'One' }));
  expect(lines).toEqual([]);
});
