/**
 * Reads the HTML copy of a message's text, because only the copy contains quotes and shows that files were shared. The
 * patterns read each character a limited number of times, so that no text can block the bridge (attack S22: text made
 * to be slow to read).
 */

import type { Quote } from '../../../src/kit.ts';

/** Maximum UTF-16 units read from the HTML copy of a message. Teams' own limit is smaller. */
const MAX_UNITS = 100_000;
/** Maximum quotes read from one message. */
const MAX_QUOTES = 10;

/** Type that Teams' clients give the quote in a reply in a chat. */
const REPLY = 'schema.skype.com/Reply';

export function quotedIn(html: string): readonly Quote[] {
  return html
    .slice(0, MAX_UNITS)
    .split('<blockquote')
    .slice(1, MAX_QUOTES + 1)
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

/** Returns the text of the first element `name` whose opening tag contains `mark`. */
function inside(html: string, name: string, mark: string): string | undefined {
  for (const piece of html.split(`<${name} `).slice(1)) {
    const end = piece.indexOf('>');
    if (end >= 0 && piece.slice(0, end).includes(mark))
      return plainOf(piece.slice(end + 1).split(`</${name}>`, 1)[0] ?? '');
  }
  return undefined;
}

/**
 * True if the HTML copy shows a shared file for which the message has no attachment. Outside one-to-one chats, Teams
 * attaches no files.
 */
export function sharesFiles(html: string, known: readonly string[]): boolean {
  return html
    .slice(0, MAX_UNITS)
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

/** Returns HTML as plain text: tags removed, entities decoded, line breaks kept. */
export function plainOf(html: string): string {
  return html
    .replace(/<br\s{0,3}\/?>|<\/(?:p|div|li)>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(ENTITY, readEntity)
    .trim();
}

const ENTITY = /&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi;

const readEntity = (whole: string, name: string): string => entity(name) ?? whole;

/** Decodes each entity only once, so `&amp;lt;` becomes `&lt;` and not `<`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, readEntity);
}

/**
 * True if the text is HTML-encoded. Some of Teams' clients send `a &lt; b`, others `a < b`
 * (MicrosoftDocs/OfficeDocs-SkypeForBusiness issue 4723), and people may type `&lt;` themselves. A text that contains
 * an unencoded `<` or `&` is not encoded. A text is also not encoded if one of its entities is encoded twice in
 * `htmlCopy`, the same message as HTML, because then a person typed that entity.
 */
export function isEncoded(text: string, htmlCopy: string): boolean {
  const [found] = text.match(ENTITY) ?? [];
  if (found === undefined || entity(found.slice(1, -1)) === undefined) return false;
  const isBare = /<(?!\/?at\b)|&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});)/i.test(text);
  return !isBare && !htmlCopy.includes(`&amp;${found.slice(1)}`);
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
