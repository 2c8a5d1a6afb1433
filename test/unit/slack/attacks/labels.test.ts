/**
 * Tests attacks S02 to S04 on rendered text: labels that look like other addresses, and text that other Markdown
 * parsers read differently from Slack's.
 */

import fc from 'fast-check';
import createMarkdownIt, { type Token } from 'markdown-it';
import { expect, test } from 'vitest';
import { linkButton } from '../../../../adapters/slack/render/blocks.ts';
import { bodyBlocks } from '../../../../adapters/slack/render/body.ts';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { sourceList } from '../../../../adapters/slack/render/message.ts';
import { taskChunk } from '../../../../adapters/slack/render/steps.ts';
import { GROWING, START } from '../../../../src/kit/emission.ts';
import { anything } from '../../reply/markdown/hostile.ts';

const { emit, markdown, ranges, rangeText } = slackMarkdown;

const parser = createMarkdownIt('default', { html: true, linkify: false });
parser.validateLink = () => true;

interface Found {
  readonly href: string;
  readonly label: string;
  /** The text directly after the link. */
  readonly after: string;
}

function linksIn(text: string): readonly Found[] {
  const found: Found[] = [];
  const visit = (tokens: readonly Token[]): void => {
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'link_open') {
        const close = tokens.findIndex((each, place) => place > at && each.type === 'link_close');
        const label = tokens
          .slice(at + 1, close)
          .map(({ content }) => content)
          .join('');
        found.push({ href: String(token.attrGet('href')), label, after: tokens[close + 1]?.content ?? '' });
      }
      visit(token.children ?? []);
    }
  };
  visit(parser.parse(text, {}));
  return found;
}

const EVIL = 'https://evil.example/a';
const labels = [
  'good.example',
  'https://good.example/login',
  'GOOD.EXAMPLE',
  '**good**.example',
  'good`.`example',
  'go\\od.example',
  'good&#46;example',
  'good\u200b.example',
  'good\u00ad.example',
  'good。example',
  'good．example',
  'ｇｏｏｄ.example',
  'good.example\u202e',
  '\u202eelpmaxe.doog',
  '\u2067elpmaxe.doog\u2069',
  'good\u2024example',
  'good.example:443',
  'good.example@',
  'user@good.example',
  'xn--good-9ta.example',
  'www.good.example',
  '//good.example',
  '![good.example](https://good.example/i.png)',
  'good.example evil.example',
  'good.example'.split('').join('\u2060'),
];

test.each(labels)('S04: a link with the label %j shows its target', (label) => {
  const written = markdown(`See [${label}](${EVIL}).`);
  const [link] = linksIn(written);
  if (link === undefined) return expect(written).toContain('evil.example');
  expect(new URL(link.href).host).toBe('evil.example');
  expect(`${link.label}${link.after}`).toContain('(evil.example)');
  expect(written).not.toMatch(/[\u202d\u202e]/);
});

test.each([
  '\u202e[moc.elgoog](https://evil.example)',
  'a \u202d[google.com](https://evil.example)',
  '`\u202e` and ```\n\u202e\n```',
  '| \u202ea | b |\n| --- | --- |\n| \u202e[x](https://evil.example) | c |',
])('S04: no character reverses the text before or in a link: %j', (text) => {
  const body = { source: text, begin: START, to: text.length, growing: false, numbers: new Map() };
  for (const shown of [
    markdown(text),
    JSON.stringify(bodyBlocks(body, true)),
    JSON.stringify(bodyBlocks(body, false)),
  ]) {
    expect(shown).not.toMatch(/[\u202d\u202e]|\\u202[de]/);
  }
});

const addresses = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  '\\\\evil.example\\share',
  'slack://open',
  'tel:+1',
  'ftp://evil.example',
  '//evil.example',
  '/relative',
  'https:evil.example',
  'https:\\\\evil.example',
  'https://good.example@evil.example/',
  'https://good.example%2f@evil.example/',
  'https://good.example\\@evil.example/',
  'https://good.example\u202e/',
  'http://[::1]/|x',
  'https://',
  'mailto:',
  'mailto:a@good.example,b@evil.example?bcc=c@evil.example',
];

test.each(addresses)('S04: %j is no link, or a link that shows its target', (address) => {
  for (const text of [
    `[x](${address})`,
    `[x](<${address}>)`,
    `<${address}>`,
    `[x]: ${address}\n\n[x]`,
    `![x](${address})`,
  ]) {
    for (const { href } of linksIn(markdown(text))) {
      expect(href).toMatch(/^(?:https?:\/\/|mailto:)/);
      expect(new URL(href).username + new URL(href).password).toBe('');
      expect(href).not.toMatch(/[\s\\<>|]/);
    }
  }
  const list = sourceList(
    [
      {
        number: 1,
        marks: [],
        source: { key: 'k', title: 'T', kind: 'document', link: address, fragments: [] },
      },
    ],
    1_000,
  );
  for (const { href } of linksIn(JSON.parse(JSON.stringify(list))[0]?.text ?? ''))
    expect(href).toMatch(/^(?:https?:\/\/|mailto:)/);
  const button = linkButton('open', address);
  if (button !== undefined) {
    expect(button.url).toMatch(/^(?:https?:\/\/|mailto:)/);
    expect(button.text.text).toBe(`Open (${new URL(button.url ?? '').host || 'good.example'})`);
  }
});

test('S04: every link of any text leads to http, https or mail, wherever the text is split into messages', () => {
  fc.assert(
    fc.property(anything, anything, fc.integer({ min: 80, max: 400 }), (one, other, limit) => {
      const text = `${one}\n\n${other}`.repeat(3);
      const parts = ranges(text, limit).map(({ begin, to }) => rangeText(text, begin, to));
      for (const part of parts) {
        for (const { href } of linksIn(part)) expect(href).toMatch(/^(?:https?:\/\/|mailto:)/);
        expect(
          parser
            .parse(part, {})
            .flatMap(({ children }) => children ?? [])
            .filter(({ type }) => type === 'image'),
        ).toEqual([]);
        expect(part.replace(/^[ \t>]+/gm, '')).not.toMatch(/[<>]/);
      }
    }),
    { numRuns: 300 },
  );
});

test('S02: no text or part of one shows an image or a raw tag in a reader of references, footnotes or HTML', () => {
  const tricks = [
    '![a][b]\n\n[b]: https://evil.example/i.png',
    '![b]\n\n[b]:\nhttps://evil.example/i.png "t"',
    '[![a][b]](https://evil.example)\n\n[b]: <https://evil.example/i.png>',
    '> [b]: https://evil.example/i.png\n\n![b]',
    '- [b]: https://evil.example/i.png\n\n  ![b][]',
    '[^1]: ![x](https://evil.example/i.png)\n\n[^1]',
    '<img\nsrc=https://evil.example/i.png>',
    '<picture><source srcset=https://evil.example/i.png></picture>',
    '&lt;img src=https://evil.example/i.png&gt;',
    '!\\[a](https://evil.example/i.png)',
    '\\![a](https://evil.example/i.png)',
    '!\u200b[a](https://evil.example/i.png)',
    '![a\n](https://evil.example/i.png)',
    '![a](\nhttps://evil.example/i.png)',
    '![`](https://evil.example/i.png)`',
    '`a``![x](https://evil.example/i.png)',
    '~~~\n```\n![x](https://evil.example/i.png)\n~~~\n![y](https://evil.example/j.png)',
    '    ```\n![x](https://evil.example/i.png)\n    ```',
    '$$\n![x](https://evil.example/i.png)\n$$',
    '```\n```![x](https://evil.example/i.png)',
  ];
  for (const text of tricks) {
    for (let at = 0; at <= text.length; at++) {
      for (const shown of [markdown(text.slice(0, at)), emit(text.slice(0, at), START, GROWING).out]) {
        const images = parser.parse(shown, {}).flatMap(({ children }) => children ?? []);
        expect(images.filter(({ type }) => type === 'image' || type === 'html_inline')).toEqual([]);
        expect(parser.parse(shown, {}).filter(({ type }) => type === 'html_block')).toEqual([]);
      }
    }
  }
});

test('S04: a step’s text contains no link and no image, even if it is read as Markdown', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const { title, details = '' } = taskChunk(
        { id: 's', name: text, detail: text, state: 'running' },
        true,
      );
      for (const shown of [title, details]) {
        expect(linksIn(shown)).toEqual([]);
        expect(
          parser
            .parse(shown, {})
            .flatMap(({ children }) => children ?? [])
            .filter(({ type }) => type === 'image'),
        ).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});
