/**
 * Tests for any document that source pages contain no active content, show the text exactly, and are limited in size.
 */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { sourcePage } from '../../../src/web/source-page.ts';

const DOCUMENT = 'https://docs.example/manual?a=1&b=2#:~:text=The%20gear';

/** Returns the tags with their attributes, and the text between them, as a browser parses them. */
function read(page: string) {
  const tags: { name: string; attributes: Record<string, string> }[] = [];
  let text = '';
  const parser = new Parser({
    onopentag: (name, attributes) => void tags.push({ name, attributes }),
    ontext: (piece) => {
      text += piece;
    },
  });
  parser.end(page);
  return { tags, text };
}

const KNOWN =
  /^(?:html|head|meta|title|style|body|main|h1|h2|p|a|span|article|footer|strong|em|del|code|pre|ul|ol|li|blockquote|div|table|thead|tbody|tr|th|td|hr|br)$/;

describe('the page of any source', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '![x](https://evil.example/?leak)',
    '[click](https://evil.example)',
    '[js](javascript:alert(1))',
    '<https://evil.example/auto>',
    '<a href="https://evil.example">x</a>',
    '[ref]\n\n[ref]: https://evil.example',
    '`</code></pre></article><script>`',
    '```html" onload="x\n</style><script>alert(1)</script>\n```',
    '| <td onclick=x> | b |\n|---|---|\n| </table> | \u0000\u202e |',
    '&lt;script&gt; &#60;b&#62;',
    '1. a\n   - [x] b\n> c',
  ];

  const expectInert = (page: string) => {
    const { tags } = read(page);
    expect(tags.filter(({ name }) => !KNOWN.test(name))).toEqual([]);
    const links = tags.flatMap(({ attributes }) =>
      Object.entries(attributes).filter(([name]) =>
        /^(?:href|src|srcset|action|on.*|style|formaction|ping)$/.test(name),
      ),
    );
    expect(links).toEqual([['href', DOCUMENT]]);
    for (const mark of ['\0', '\u202d', '\u202e']) expect(page).not.toContain(mark);
  };

  it.each(hostile)('%j is text', (text) => {
    expectInert(
      sourcePage({ number: 1, title: text, passages: [text, `# ${text}`, `> - ${text}`] }, DOCUMENT, 24),
    );
  });

  it('never links or runs the text of a document', () => {
    const naughty: readonly string[] = JSON.parse(
      readFileSync(
        new URL('../../../node_modules/big-list-of-naughty-strings/blns.json', import.meta.url),
        'utf8',
      ),
    );
    const piece = fc.oneof(
      fc.constantFrom(...naughty),
      fc.constantFrom(...hostile),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), fc.string({ unit: 'binary' }), (passages, title) => {
        expectInert(sourcePage({ number: 1, title, passages }, DOCUMENT, 24));
      }),
      { numRuns: 300 },
    );
  });

  it('shows text exactly', () => {
    const { text } = read(
      sourcePage({ number: 1, title: 'a & b', passages: ['x &amp; y `<b>` "z"'] }, DOCUMENT, 24),
    );
    expect(text).toContain('a & b');
    expect(text).toContain('x & y <b> "z"');
  });

  it('is at most 256 KiB for passages of any length and width', () => {
    const wide = `|${'a|'.repeat(1_400)}\n|${'-|'.repeat(1_400)}\n${'|a|\n'.repeat(60)}`;
    for (const passage of [
      '&'.repeat(50_000),
      wide,
      '> '.repeat(3_000),
      'word '.repeat(10_000),
      '<'.repeat(6_000),
      '#\n'.repeat(3_000),
      '漢'.repeat(6_000),
    ]) {
      const passages = Array.from({ length: 50 }, () => passage);
      const page = sourcePage({ number: 1, title: 'x'.repeat(100_000), passages }, DOCUMENT, 24);
      expect(Buffer.byteLength(page)).toBeLessThan(256 * 1_024);
      expect(page).toContain('Further passages are too long');
      expect(page).toContain('</html>');
    }
  });
});
