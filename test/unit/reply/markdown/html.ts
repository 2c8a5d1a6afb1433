import type { Block, Inline } from '../../../../src/reply/markdown/blocks.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Writes a link's address as the CommonMark specification's examples do: percent-encoded where a URL requires it. */
function address(destination: string): string {
  const encoded = destination.replace(/%(?![0-9a-f]{2})|[^%!#$&'()*+,\-./:;=?@_~\w]+/gi, encodeURIComponent);
  return escaped(encoded);
}

const title = (given: string | undefined): string =>
  given === undefined ? '' : ` title="${escaped(given)}"`;

const tags = { strong: 'strong', emphasis: 'em', strike: 'del' } as const;

function inlineHtml(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return escaped(inline.text);
    case 'code':
      return `<code>${escaped(inline.text)}</code>`;
    case 'break':
      return inline.hard ? '<br /> ' : ' ';
    case 'image':
      return `<img src="${address(inline.destination)}" alt="${escaped(inline.alt)}"${title(inline.title)} />`;
    case 'link':
      return `<a href="${address(inline.destination)}"${title(inline.title)}>${inlineHtmlOf(inline.children)}</a>`;
    default:
      return `<${tags[inline.kind]}>${inlineHtmlOf(inline.children)}</${tags[inline.kind]}>`;
  }
}

const inlineHtmlOf = (inlines: readonly Inline[]): string => inlines.map(inlineHtml).join('');

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${inlineHtmlOf(block.children)}</p>`;
    case 'heading':
      return `<h${block.level}>${inlineHtmlOf(block.children)}</h${block.level}>`;
    case 'quote':
      return `<blockquote>${block.children.map(blockHtml).join(' ')}</blockquote>`;
    case 'code': {
      const language = block.language === '' ? '' : ` class="language-${escaped(block.language)}"`;
      return `<pre><code${language}>${escaped(block.text)}${block.text === '' ? '' : '\n'}</code></pre>`;
    }
    case 'rule':
      return '<hr />';
    case 'list': {
      const start = block.start === undefined || block.start === 1 ? '' : ` start="${block.start}"`;
      const name = block.start === undefined ? 'ul' : 'ol';
      const item = (children: readonly Block[]): string =>
        children
          .map((child) =>
            block.tight && child.kind === 'paragraph' ? inlineHtmlOf(child.children) : blockHtml(child),
          )
          .join(' ');
      return `<${name}${start}>${block.items.map((each) => `<li>${item(each.children)}</li>`).join('')}</${name}>`;
    }
    case 'table':
      return '<table>';
  }
}

/** Writes blocks as one line of HTML, like the CommonMark specification's examples. */
export function htmlOf(blocks: readonly Block[]): string {
  return blocks
    .map(blockHtml)
    .join(' ')
    .replace(/\n/g, ' ')
    .replace(/> (?=<)/g, '>')
    .trim();
}
