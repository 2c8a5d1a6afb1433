/** Functions that find content a channel must never receive, and texts that try to smuggle it in. */

import { createRequire } from 'node:module';
import fc from 'fast-check';
import createMarkdownIt, { type Token } from 'markdown-it';
import { examples, markdown } from './texts.ts';

/** The 500 strings of the Big List of Naughty Strings. */
export const naughty: readonly string[] = createRequire(import.meta.url)('big-list-of-naughty-strings');

const scraps = [
  ...['<!here>', '<!channel>', '<@U012AB3CD>', '<#C012AB3CD>', '<https://evil.example|https://good.example>'],
  ...['[!](javascript:x)', '[wow!]()', '[a](https://evil.example/i.png)'],
  ...['!<https://evil.example/i.png>', '\\!<https://evil.example/i.png>', '!<MAILTO:a@evil.example>'],
  ...['<!here', '<@', '!here>', '<', '>', '\n> ', '|', '<img src=https://evil.example/i.png>'],
  ...[
    '![a](https://evil.example/i.png)',
    '![',
    '](https://evil.example/i.png)',
    '[',
    ']',
    '(',
    ')',
    '!',
    '\\',
  ],
  ...['[a](javascript:alert(1))', '](javascript:alert(1))', '[a](data:text/html,x)', '(data:x)', '[a][b]'],
  ...[
    '\n[b]: https://evil.example/i.png\n',
    '\n[b]:',
    '![b]',
    '![a][b]',
    '[good.example](https://evil.example)',
  ],
  ...['`', '``', '```', '\n```\n', '\n~~~\n', '\n> ```\n', '\n- ```js\n', '\n  ```\n', '\n    ```\n', '~~~'],
  ...[
    '\n| a | b |\n| - | - |\n',
    '\n| ` | ',
    ' ` |',
    '\n- [ ] ',
    '\n- [x]',
    '\n1. ',
    '\n# ',
    '**',
    '_',
    '\n\n',
  ],
  ...[
    '\u0000',
    '\u0001',
    '\r',
    '\r\n',
    '\ud83d',
    '😀',
    '&lt;!here&gt;',
    '&#60;',
    '&excl;',
    ' ',
    'word',
    '\t',
    '    ',
  ],
];

/** Random texts of pieces that are dangerous next to each other. */
export const hostile: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...scraps) }, markdown), { maxLength: 16 })
  .map((parts) => parts.join(''));

/** Random texts of all corpora, and mixtures of them. */
export const anything: fc.Arbitrary<string> = fc.oneof(
  hostile,
  markdown,
  fc.constantFrom(...naughty, ...examples.map((example) => example.markdown)),
);

export { examples };

const parser = createMarkdownIt('default', { html: true, linkify: false });
parser.validateLink = () => true;

/** Returns the addresses of links and images that a Markdown parser finds in a text. */
export function addressesIn(text: string): { readonly links: string[]; readonly images: string[] } {
  const links: string[] = [];
  const images: string[] = [];
  const visit = (token: Token): void => {
    if (token.type === 'link_open') links.push(String(token.attrGet('href')));
    if (token.type === 'image') images.push(String(token.attrGet('src')));
    if (token.type.startsWith('html')) images.push(token.content);
    for (const child of token.children ?? []) visit(child);
  };
  for (const token of parser.parse(text, {})) visit(token);
  return { links, images };
}

/** Returns the unescaped `<` and `>` of a text, except the `>` of quotes at the start of a line. */
export function rawBrackets(text: string): readonly string[] {
  return text.replace(/^[ \t>]+/gm, '').match(/[<>]/g) ?? [];
}
