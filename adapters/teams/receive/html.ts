/**
 * The HTML twin of a message says what its text does, and two things besides: what is quoted, and that files are there.
 * Nothing else is read of it. Each pattern looks at a place once, so that no text holds the bridge up (attack S22).
 */

import type { Quote } from '../../../src/kit.ts';

/** What of the twin is looked at, UTF-16 units: longer than any message that Teams takes. */
const LOOKED_AT = 100_000;
/** Quotes of one message. */
const QUOTES = 10;

/** As Teams' own clients write a reply in a chat. */
const REPLY = 'schema.skype.com/Reply';

export function quotedIn(html: string): readonly Quote[] {
  return html
    .slice(0, LOOKED_AT)
    .split('<blockquote')
    .slice(1, QUOTES + 1)
    .flatMap((piece): readonly Quote[] => {
      const [quoted = ''] = piece.split('</blockquote>', 1);
      const [head = ''] = quoted.split('>', 1);
      if (!head.includes(REPLY)) return [];
      const said = inside(quoted, 'p', 'itemprop="copy"') ?? inside(quoted, 'p', 'itemprop="preview"');
      const words = said ?? plainOf(quoted.slice(head.length + 1));
      if (words === '') return [];
      return [{ author: inside(quoted, 'strong', 'itemprop="mri"') || 'somebody', text: words }];
    });
}

/** The words of the first element of the name whose tag carries the mark. */
function inside(html: string, name: string, mark: string): string | undefined {
  for (const piece of html.split(`<${name} `).slice(1)) {
    const end = piece.indexOf('>');
    if (end >= 0 && piece.slice(0, end).includes(mark))
      return plainOf(piece.slice(end + 1).split(`</${name}>`, 1)[0] ?? '');
  }
  return undefined;
}

/** Files that are shared outside of personal chats leave only their place in the twin. */
export function sharesFiles(html: string, known: readonly string[]): boolean {
  return html
    .slice(0, LOOKED_AT)
    .split('<attachment id="')
    .slice(1)
    .some((piece) => !known.includes(piece.split('"', 1)[0] ?? ''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Text of HTML: tags gone, line breaks kept, entities read. */
export function plainOf(html: string): string {
  return html
    .replace(/<br\s{0,3}\/?>|<\/(?:p|div|li)>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(ENTITY, readEntity)
    .trim();
}

const ENTITY = /&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi;

const readEntity = (whole: string, name: string): string => entity(name) ?? whole;

/** Reads each entity once, so that `&amp;lt;` becomes `&lt;`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, readEntity);
}

/**
 * True if the text is HTML-encoded. Some of Teams' clients send `a &lt; b`, others `a < b` (MicrosoftDocs/
 * OfficeDocs-SkypeForBusiness issue 4723), and people may type `&lt;` themselves. A text with an unencoded `<` or `&` is
 * not encoded, nor is one whose entity is encoded twice in `twin`, the same message as HTML: a person typed it.
 */
export function isEncoded(text: string, twin: string): boolean {
  const [found] = text.match(ENTITY) ?? [];
  if (found === undefined || entity(found.slice(1, -1)) === undefined) return false;
  const isBare = /<(?!\/?at\b)|&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});)/i.test(text);
  return !isBare && !twin.includes(`&amp;${found.slice(1)}`);
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
