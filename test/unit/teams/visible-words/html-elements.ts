/** Makes HTML as Teams writes it, with the words that people see in it. */

import fc from 'fast-check';

export interface Written {
  readonly html: string;
  readonly words: readonly string[];
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const unique = { count: 0 };
const word = fc.stringMatching(/^[A-Za-zäöüß0-9&<|_*`-]{1,10}$/).map((said) => {
  unique.count += 1;
  return `w${unique.count}${said.replace(/[^\p{L}\p{N}]/gu, '')} ${said}`;
});
const text = word.map((said): Written => ({ html: escaped(said), words: [said] }));

type Inside = fc.Arbitrary<Written>;

const joined = (parts: readonly Written[], between = ' '): Written => ({
  html: parts.map(({ html }) => html).join(between),
  words: parts.flatMap(({ words }) => words),
});
const around =
  (open: string, close: string) =>
  ({ html, words }: Written): Written => ({ html: `${open}${html}${close}`, words });
const tag = (name: string, attributes = '') => around(`<${name}${attributes}>`, `</${name}>`);
const several = (inside: Inside): fc.Arbitrary<Written> =>
  fc.array(inside, { minLength: 1, maxLength: 3 }).map((parts) => joined(parts));
const rows = (inside: Inside) =>
  fc.array(fc.array(inside, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });

const itemtype = (name: string): string => `itemtype="http://schema.skype.com/${name}"`;
const pictured = (kind: string) =>
  word.map(
    (said): Written => ({
      html: `<img ${itemtype(kind)} alt="${escaped(said)}" src="https://example.org/1">`,
      words: [said],
    }),
  );

const inline = (inside: Inside): readonly Inside[] => [
  text,
  ...['b', 'strong', 'i', 'em', 's', 'u', 'span', 'small', 'font', 'unknown'].map((name) =>
    inside.map(tag(name)),
  ),
  word.map((said) => tag('code')({ html: escaped(said), words: [said] })),
  fc.tuple(inside, fc.nat(999)).map(([part, nth]) => ({
    ...tag('a', ` href="https://example.org/${nth}"`)(part),
    words: part.words,
  })),
  word.map((said) => ({ html: `<emoji id="x" alt="${escaped(said)}" title="X"></emoji>`, words: [said] })),
  pictured('Emoji'),
  pictured('Giphy'),
  pictured('Sticker'),
  word.map((said) => ({
    html: `<span ${itemtype('Mention')} itemscope itemid="7">${escaped(said)}</span>`,
    words: [said],
  })),
  fc.constant({ html: '<br>', words: [] }),
];

const listed = (name: string) => (inside: Inside) =>
  fc
    .array(inside, { minLength: 1, maxLength: 3 })
    .map((parts) => tag(name)(joined(parts.map(tag('li')), '')));

const block = (inside: Inside): readonly Inside[] => [
  ...['p', 'div', 'h1', 'h2', 'h3', 'section'].map((name) => several(inside).map(tag(name))),
  listed('ul')(inside),
  listed('ol')(inside),
  several(inside).map(tag('blockquote')),
  several(inside).map(tag('blockquote', ` itemscope ${itemtype('Forward')}`)),
  fc.tuple(word, several(inside)).map(([author, part]) => ({
    html: `<blockquote itemscope ${itemtype('Reply')} itemid="1"><strong itemprop="mri">${escaped(author)}</strong><p itemprop="preview">${part.html}</p></blockquote>`,
    words: [author, ...part.words],
  })),
  several(inside).map(tag('span', ` itemscope ${itemtype('InputExtension')}`)),
  rows(inside).map((lines) =>
    tag('table')(
      joined(
        lines.map((cells) => tag('tr')(joined(cells.map(tag('td')), ''))),
        '',
      ),
    ),
  ),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((lines) => ({
    html: `<pre class="language-text"><code>${lines.map(escaped).join('<br>')}</code></pre>`,
    words: lines,
  })),
  word.map((said) => ({ html: `<video ${itemtype('AMSVideo')}>${escaped(said)}</video>`, words: [said] })),
  fc.constant({ html: '<hr>', words: [] }),
];

export const documents: fc.Arbitrary<Written> = fc
  .letrec<{ part: Written }>((tie) => ({
    part: fc.oneof({ maxDepth: 4 }, text, ...inline(tie('part')), ...block(tie('part'))),
  }))
  .part.chain((first) => fc.array(text, { maxLength: 2 }).map((rest) => joined([first, ...rest])));
