/**
 * Escapes text for a channel's Markdown, so that it is shown as written and triggers no markup, mention or
 * link.
 */

import { labelMisleads, safeDestination } from '../links.ts';
import { plain } from '../plain.ts';

/** Characters that mean something to Markdown in the middle of a line, or that begin a heading. */
const punctuation = /[\\`*_[\]()!|~#]/g;
/**
 * Control characters, including two that reverse the text direction; they can make a name or a host look like
 * another one (attacks S04, S11).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202d\u202e]/g;

/** Replaces each character that JSON or a channel cannot carry. */
export function carried(text: string): string {
  return text.toWellFormed().replace(control, '\uFFFD');
}

/** Writes angle brackets as entities. `&` stays unchanged, because escaping it would break links. */
export function bracketless(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes a text, so that it appears as plain words in a Markdown line. */
export function asWords(text: string): string {
  const marked = carried(text).replace(/\s+/g, ' ').replace(punctuation, '\\$&');
  return bracketless(marked.replaceAll('&', '&amp;'));
}

/** Returns the first `limit` UTF-16 units of a text, with an ellipsis if it was cut. Never splits a surrogate pair. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end)}…`;
}

/** Characters that end a link destination, or that mean something in a table, a code span or a channel. */
const ends = /[()<>|`\\\s]/g;

const encoded = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

export interface Followed {
  readonly href: string;
  readonly host: string;
}

/** Returns the address for use in a Markdown link; undefined if it is not safe to follow. */
export function followed(destination: string): Followed | undefined {
  const safe = safeDestination(destination.replaceAll('&amp;', '&'));
  // An entity in a host would turn into another host when it is decoded.
  if (safe === undefined || safe.host.includes('&')) return undefined;
  return { href: safe.href.replace(ends, encoded), host: safe.host };
}

/**
 * Every label that looks like an address has one of these: a dot, an entity, or a character that can look like a dot.
 */
const mayShowAddress = /[.&]|[^\p{ASCII}]/u;

/**
 * Writes a Markdown link.
 * @param source the label as the author wrote it, in Markdown
 * @param shown the label in the channel's Markdown; if blank, the host is shown
 */
export function linkTo({ href, host }: Followed, source: string, shown: string): string {
  const name = shown.trim() === '' ? asWords(host) : shown;
  // Parsing the label is most of a link's cost, so labels that cannot show an address are not parsed.
  const misleads = mayShowAddress.test(source) && labelMisleads(plain(source), href);
  return misleads ? `[${name}](${href}) (${asWords(host)})` : `[${name}](${href})`;
}
