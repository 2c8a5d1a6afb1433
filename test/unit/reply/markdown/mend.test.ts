import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mend } from '../../../../src/reply/markdown/mend.ts';
import { parse } from '../../../../src/reply/markdown/parse.ts';
import { plain } from '../../../../src/reply/markdown/plain.ts';
import { cpuSeconds, markdown, seed } from './texts.ts';

const words = fc.array(fc.constantFrom('take', 'leave', 'budget', 'of', 'a', '12th', 'über', '字'), {
  minLength: 1,
  maxLength: 4,
});
const phrase = words.map((all) => all.join(' '));
const inline: fc.Arbitrary<string> = fc.oneof(
  phrase,
  phrase,
  phrase.map((text) => `**${text}**`),
  phrase.map((text) => `*${text}*`),
  phrase.map((text) => `~~${text}~~`),
  phrase.map((text) => `\`${text}\``),
  phrase.map((text) => `**${text} *${text}* ${text}**`),
  phrase.map((text) => `[${text}](https://h.example/${text.length})`),
  phrase.map((text) => `[**${text}** ${text}](https://h.example)`),
);
const line = fc.array(inline, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(' '));
const block = fc.oneof(
  line,
  line.map((text) => `# ${text}`),
  fc.array(line, { minLength: 1, maxLength: 3 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
  fc
    .array(line, { minLength: 1, maxLength: 3 })
    .map((items) => items.map((item, at) => `${at + 1}. ${item}`).join('\n')),
  phrase.map((text) => `\`\`\`js\n${text}\n\n${text}\n\`\`\``),
  line.map((text) => `> ${text}`),
);
const answer = fc.array(block, { minLength: 1, maxLength: 5 }).map((blocks) => blocks.join('\n\n'));

describe(`mending (seed ${seed})`, () => {
  test.each([
    ['a **bold', 'a **bold**'],
    ['a **bold ', 'a **bold** '],
    ['a **bold*', 'a **bold**'],
    ['a **', 'a '],
    ['*a **b', '*a **b***'],
    ['***a', '***a***'],
    ['~~gone', '~~gone~~'],
    ['use `take', 'use `take`'],
    ['use ``a ` b', 'use ``a ` b``'],
    ['use `', 'use '],
    ['see [the gui', 'see the gui'],
    ['see [the **gui', 'see the **gui**'],
    ['see [the guide](https://h', 'see the guide'],
    ['see ![plan](https://h', 'see '],
    ['see ![pl', 'see '],
    ['as said [1', 'as said '],
    ['as said [1]', 'as said [1]'],
    ['a\\', 'a'],
    ['snake_case and 2 * 3', 'snake_case and 2 * 3'],
    ['```js\nlet a', '```js\nlet a\n```'],
    ['```js\nlet a\n``', '```js\nlet a\n```'],
    ['~~~~\nx\n', '~~~~\nx\n~~~~'],
    ['- a\n  ```\n  x', '- a\n  ```\n  x\n  ```'],
    ['> ```\n> x', '> ```\n> x\n> ```'],
    ['a **b** c\n\n- d *e', 'a **b** c\n\n- d *e*'],
    ['| a | b |\n| - | - |\n| **x', '| a | b |\n| - | - |\n| **x**'],
    ['use ``a` ``', 'use ``a` ``'],
    ['- ```\n  a\n      ```\n  *b', '- ```\n  a\n      ```\n  *b\n  ```'],
    ['see ![](', 'see '],
    ['see [the [inner] guide](https://h', 'see the [inner] guide'],
    ['**see https://h.example/a_b**. *c', '**see https://h.example/a_b**. *c*'],
  ])('%j becomes %j', (half, whole) => {
    expect(mend(half)).toBe(whole);
  });

  test.each([
    ['a backtick whose line has ended', 'a ` b\nc'],
    ['a bracket whose line has ended', 'see [the\ngui'],
    ['marks in an address', 'see https://h.example/_a'],
  ])('adds nothing for %s', (_, text) => {
    expect(mend(text)).toBe(text);
  });

  test('leaves complete answers unchanged', () => {
    fc.assert(
      fc.property(answer, (text) => {
        expect(mend(text)).toBe(text);
      }),
      { seed },
    );
  });

  test('shows of a partial answer only what the complete one shows', () => {
    const letters = (text: string): string => plain(text).replace(/[^\p{L}]/gu, '');
    fc.assert(
      fc.property(answer, fc.nat(), (text, place) => {
        const half = mend(text.slice(0, place % (text.length + 1)));
        expect(letters(text).startsWith(letters(half))).toBe(true);
        expect(plain(half)).not.toMatch(/[*~`[]/);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  test('mends hostile text, too, within the time limit', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        parse(mend(text));
      }),
      { seed, numRuns: 1_000 },
    );
    for (const scrap of ['[', '![', '`', '*a ', '*a _b ', '[a](', '[[a]', '> ', '| ', '```']) {
      expect([scrap, cpuSeconds(() => mend(scrap.repeat(20_000))) < 2]).toEqual([scrap, true]);
    }
  });
});
