import { createRequire } from 'node:module';
import fc from 'fast-check';

interface Example {
  readonly markdown: string;
  readonly html: string;
  readonly section: string;
  readonly number: number;
}

/** The 652 examples of the CommonMark specification 0.31.2. */
export const examples: readonly Example[] = createRequire(import.meta.url)('commonmark-spec').tests.map(
  (example: Example) => ({
    ...example,
    markdown: example.markdown.replaceAll('→', '\t'),
    html: example.html.replaceAll('→', '\t'),
  }),
);

/** Small pieces of Markdown. Texts combined from them reveal errors at cuts and between neighbouring pieces. */
const scraps = [
  ...[
    'a',
    'b c',
    ' ',
    '  ',
    '    ',
    '\n',
    '\n\n',
    '\t',
    '\r\n',
    '\r',
    '\0',
    '\\',
    '<br>',
    '<b>',
    '&amp;',
    '&am',
    ';',
  ],
  ...[
    '*',
    '**',
    '_',
    '~~',
    '`',
    '```',
    '```js\n',
    '~~~',
    '# ',
    '- ',
    '- [ ] ',
    '1. ',
    '2) ',
    '> ',
    '---',
    '===',
    '+ ',
  ],
  ...[
    '[',
    ']',
    '[x]',
    '[x]: /u',
    '[x]: /u "t',
    '"',
    "'",
    '(',
    ')',
    '](/u)',
    '![',
    '](http://h/p)',
    'https://h.example/p',
  ],
  ...[
    '|',
    '| a | b |\n| - | - |\n',
    '| 1 | 2',
    'a | b\n--|--\n',
    '😀',
    '\ud83d',
    '\ude00',
    '，',
    '字',
    '\u00a0',
    'm@h.example',
  ],
];

const scrap = fc.constantFrom(...scraps);
const example = fc.constantFrom(...examples.map(({ markdown }) => markdown));

/** Random Markdown that mixes the specification's examples with small pieces. */
export const markdown: fc.Arbitrary<string> = fc
  .array(fc.oneof(scrap, scrap, scrap, example), { maxLength: 14 })
  .map((parts) => parts.join(''));

/** A text, divided at random offsets. */
export const cut = (texts: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> =>
  texts.chain((text) =>
    fc.uniqueArray(fc.nat({ max: text.length }), { maxLength: 30 }).map((places) => {
      const cuts = [0, ...places.sort((left, right) => left - right), text.length];
      return cuts.slice(1).map((end, at) => text.slice(cuts[at], end));
    }),
  );

export const cutText = cut(markdown);

const partLines = [
  ...[
    '- a',
    '- **b** c',
    '-',
    '- ',
    ' - d',
    '  - e',
    '  f',
    '    g',
    '* h',
    '1. i',
    '2. j',
    '3) k',
    '- [ ] l',
    '- | m',
  ],
  ...[
    '',
    '',
    ' ',
    '| a | b |',
    '| - | - |',
    '| 1 | 2 |',
    '| 3',
    '4 | 5',
    '--|--',
    '> n',
    'o',
    '  ```',
    '---',
    '# p',
    '[q]: /r',
  ],
];

/** Random sequences of lines that begin or continue lists and tables. */
export const partedText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('- a\n', '1. a\n', '| a | b |\n| - | - |\n'),
    fc.array(fc.constantFrom(...partLines), { maxLength: 14 }),
  )
  .map(([head, lines]) => head + lines.join('\n'));

/** Seed of the random runs; set `PARLEY_SEED` to repeat a run. fast-check prints the seed with every failure. */
export const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);

/** Returns the CPU seconds of this process for the work. */
export function cpuSeconds(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const used = process.cpuUsage(began);
  return (used.user + used.system) / 1e6;
}
