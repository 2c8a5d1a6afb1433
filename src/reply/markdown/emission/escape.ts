/** Escapes text for a channel's Markdown, so that it is shown as written and creates no markup, mention or link. */

import { labelMisleads, safeDestination } from '../links.ts';
import { plain } from '../plain.ts';

/** Characters that have a meaning in Markdown in the middle of a line, or that begin a heading. */
const punctuation = /[\\`*_[\]()!|~#]/g;
/**
 * Matches control characters, including two that reverse the writing direction. They can make a name or a host look
 * like another one (attacks S04, S11).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202d\u202e]/g;

/** Replaces each character that JSON or a channel cannot transmit. */
export function carried(text: string): string {
  return text.toWellFormed().replace(control, '\uFFFD');
}

/** Writes angle brackets as entities. `&` stays unchanged, because escaping it would break links. */
export function bracketless(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes a text, so that a line of Markdown shows it as plain words. */
export function asWords(text: string): string {
  const marked = carried(text).replace(/\s+/g, ' ').replace(punctuation, '\\$&');
  return bracketless(marked.replaceAll('&', '&amp;'));
}

/**
 * Returns the text. If it is longer than `limit` UTF-16 units, cuts it to `limit` units including an ellipsis. Never
 * splits a surrogate pair.
 */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end)}…`;
}

/** Characters that end a link's address, or that have a meaning in a table, a code span or a channel. */
const ends = /[()<>|`\\\s]/g;

const encoded = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

export interface Followed {
  readonly href: string;
  readonly host: string;
}

/** Returns the address for use in a Markdown link; undefined if people cannot follow it safely. */
export function followed(destination: string): Followed | undefined {
  const safe = safeDestination(destination.replaceAll('&amp;', '&'));
  // Decoding an entity in a host would change the host.
  if (safe === undefined || safe.host.includes('&')) return undefined;
  return { href: safe.href.replace(ends, encoded), host: safe.host };
}

/**
 * Matches any label that might look like an address: it contains a dot, an entity, or a character that can look like
 * a dot.
 */
const mayShowAddress = /[.&]|[^\p{ASCII}]/u;

/**
 * Writes a Markdown link. If the label shows an address other than the link's, adds the link's real host.
 * @param source the label as the author wrote it, in Markdown
 * @param shown the label in the channel's Markdown; if blank, the host is shown
 */
export function linkTo({ href, host }: Followed, source: string, shown: string): string {
  const name = shown.trim() === '' ? asWords(host) : shown;
  // Parsing is most of the cost of a link, so labels that cannot show an address are not parsed.
  const misleads = mayShowAddress.test(source) && labelMisleads(plain(source), href);
  return misleads ? `[${name}](${href}) (${asWords(host)})` : `[${name}](${href})`;
}
