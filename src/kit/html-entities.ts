/** Decodes the HTML entities in plain text, which some clients encode and others do not. */

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const ENTITY = /&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi;

/** Decodes each entity only once, so `&amp;lt;` becomes `&lt;` and not `<`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole: string, name: string) => entity(name) ?? whole);
}

/**
 * True if the text is HTML-encoded: it has an entity, and neither an unencoded `<` nor an unencoded `&`. The tags of
 * mentions, `<at>`, do not count.
 */
export function isEncoded(text: string): boolean {
  const [found] = text.match(ENTITY) ?? [];
  if (found === undefined || entity(found.slice(1, -1)) === undefined) return false;
  return !/<(?!\/?at\b)|&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});)/i.test(text);
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
