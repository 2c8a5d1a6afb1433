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

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Number of UTF-16 units on each side of a cut that are read. */
const NEAR_CHARS = 64;

/**
 * Returns where to cut a text so that it has at most `end` UTF-16 units: between words, or in a long word between
 * characters as people see them. An emoji, for example, may consist of several code points.
 */
export function cutBefore(text: string, end: number): number {
  return boundaryBefore(text, end, words) ?? characterBefore(text, end);
}

/** Returns the offset of the last boundary between characters, as people see them, that is at most `end`. */
export function characterBefore(text: string, end: number): number {
  return boundaryBefore(text, end, characters) ?? withoutHalf(text, end);
}

function boundaryBefore(text: string, end: number, kind: Intl.Segmenter): number | undefined {
  if (end >= text.length) return text.length;
  const from = Math.max(0, end - NEAR_CHARS);
  const near = text.slice(from, end + NEAR_CHARS);
  const index = kind.segment(near).containing(end - from)?.index ?? 0;
  return index > 0 ? withoutHalf(text, from + index) : undefined;
}

/** Returns the offset, or the one before it if the first half of a surrogate pair stands before it. */
function withoutHalf(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

/**
 * Returns the text. If it is longer than `limit` UTF-16 units, cuts it to at most `limit` units including an ellipsis:
 * after a word, or between characters of a word that fills half of them.
 */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const word = cutBefore(text, limit - 1);
  const end = word >= limit / 2 ? word : characterBefore(text, limit - 1);
  return `${text.slice(0, end).trimEnd()}…`;
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
 * Matches any label that might look like an address: it contains a dot, an entity, two slashes, or a character that can
 * look like a dot.
 */
const mayShowAddress = /[.&]|\/\/|[^\p{ASCII}]/u;

/**
 * Writes a Markdown link. If the label shows an address other than the link's, adds the link's real host.
 * @param source the label as the author wrote it, in Markdown
 * @param label the label in the channel's Markdown; if blank, the host is shown
 */
export function linkTo({ href, host }: Followed, source: string, label: string): string {
  const name = label.trim() === '' ? asWords(host) : label;
  // Parsing is most of the cost of a link, so labels that cannot show an address are not parsed.
  const misleads = mayShowAddress.test(source) && labelMisleads(plain(source), href);
  return misleads ? `[${name}](${href}) (${asWords(host)})` : `[${name}](${href})`;
}
