/** Tests that the cache of the last edit does not change how a message renders while it grows by edits. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { fallback } from '../../../../adapters/slack/render/fallback.ts';
import type { Form } from '../../../../adapters/slack/render/form.ts';
import { messageOf } from '../../../../adapters/slack/render/message.ts';
import { createReading } from '../../../../adapters/slack/render/reading.ts';
import { ENDED, START } from '../../../../src/kit/emission.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import type { ReplyDocument, Source } from '../../../../src/kit.ts';
import { plain } from '../../../../src/reply/markdown/plain.ts';
import { blank } from '../../reply/markdown/documents.ts';
import { anything } from '../../reply/markdown/hostile.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';

const context = {
  reply: { question: 'C1/1', room: 'C1', key: '1', kind: 'room' },
  images: {},
  footer: true,
  agents: [{ name: agentName('sales'), description: '', seesImages: false }],
  isPrivate: false,
  offersAsSelf: false,
  offersCorrection: false,
  named: false,
  showsTasks: false,
} as const;
const sources: readonly Source[] = [7, 3, 1].map((mark) => ({
  key: String(mark),
  title: `Title ${mark}`,
  kind: 'document',
  mark,
  fragments: [],
}));

interface Edit {
  readonly text: string;
  readonly from: number;
  readonly form: Form;
  readonly known: number;
  readonly done: boolean;
}

function expectSame(edits: readonly Edit[]): void {
  const reading = createReading();
  for (const { text, from, form, known, done } of edits) {
    const state = done ? ('done' as const) : ('writing' as const);
    const document: ReplyDocument = { ...blank, text, state, sources: sources.slice(0, known) };
    const extent = { begin: { at: Math.min(from, text.length), fresh: true } };
    expect(messageOf(document, extent, { ...context, reading }, form)).toEqual(
      messageOf(document, extent, context, form),
    );
  }
}

/** Returns the successive states of a text that grows, and is then rewritten from its middle. */
const growing = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, text, fc.array(fc.nat(99), { minLength: 1, maxLength: 8 })).map(([first, second, cuts]) => {
    const ends = cuts.toSorted((one, other) => one - other);
    const upTo = (whole: string) => ends.map((cut) => whole.slice(0, Math.ceil((whole.length * cut) / 99)));
    return [...upTo(first), first, ...upTo(first.slice(0, first.length / 2) + second), second];
  });

const how = fc.record({
  from: fc.constantFrom(0, 0, 0, 5),
  form: fc.constantFrom<Form>('rich', 'rich', 'common', 'simple', 'plain'),
  known: fc.nat(3),
});

it('shows hostile texts the same at every edit', () => {
  fc.assert(
    fc.property(growing(anything), how, (texts, rest) =>
      expectSame(texts.map((text, at) => ({ text, done: at === texts.length - 1, ...rest }))),
    ),
    { numRuns: 400 },
  );
});

it('shows a long answer the same at every edit', () => {
  const text = `${plausibleText(7_000)}\n\n| a [7] | b |\n|---|---|\n${'| c [1] | `d` |\n'.repeat(120)}\nEnd [3].\n`;
  const texts = Array.from({ length: 120 }, (_, at) =>
    text.slice(0, Math.round(((at + 1) * text.length) / 120)),
  );
  for (const form of ['rich', 'simple'] as const)
    expectSame(texts.map((each, at) => ({ text: each, from: 0, form, known: at % 4, done: false })));
});

it('emits a stretch of text like the whole text, even after its source was rewritten', () => {
  fc.assert(
    fc.property(growing(anything), fc.boolean(), (texts, fresh) => {
      const reading = createReading();
      const numbers = new Map([[7, 1]]);
      for (const text of texts)
        expect(reading.markdown(0, text, { fresh, numbers })).toBe(
          slackMarkdown.markdown(text, { ...START, fresh }, { ...ENDED, numbers }),
        );
    }),
    { numRuns: 1_000 },
  );
});

it('keeps the fallback text of an unchanged beginning, for any continuation', () => {
  const reading = createReading();
  for (const more of ['a', 'ab', 'ab **c']) {
    const text = `${'Word *two* '.repeat(600)}${more}`;
    expect(fallback(text, 'x', reading)).toBe(fallback(text, 'x'));
    expect(reading.plain(text, 100)).toBe(plain(text.slice(0, 100)));
    expect(reading.plain(text, 10_000)).toBe(plain(text));
  }
});
