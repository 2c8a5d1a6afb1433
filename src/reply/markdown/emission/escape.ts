/** Escapes for text that goes into a channel's Markdown: it looks the same and triggers no markup, mention or link. */

import { labelMisleads, safeDestination } from '../links.ts';
import { plain } from '../plain.ts';

/** Characters with a meaning to Markdown in the middle of a line, or that begin a heading. */
const punctuation = /[\\`*_[\]()!|~#]/g;
/** Also the two that turn letters around, so that a name or a host reads as another (attacks S04, S11). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what it looks for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202d\u202e]/g;

/** Characters that JSON or a channel would not carry, each as one replacement character. */
export function carried(text: string): string {
  return text.toWellFormed().replace(control, '\uFFFD');
}

/** For Markdown: angle brackets as entities. `&` stays: links would break. */
export function bracketless(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Any text as words of a Markdown line: nothing in it has a meaning. */
export function asWords(text: string): string {
  const marked = carried(text).replace(/\s+/g, ' ').replace(punctuation, '\\$&');
  return bracketless(marked.replaceAll('&', '&amp;'));
}

/** The beginning of a text, of at most `limit` UTF-16 units, with an ellipsis where it was cut; parts no character. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end)}…`;
}

/** Characters that end a destination or mean something to a table, a code span or a channel. */
const ends = /[()<>|`\\\s]/g;

const encoded = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

export interface Followed {
  readonly href: string;
  readonly host: string;
}

/** The address as it may stand in a Markdown link; nothing where it may not be followed. */
export function followed(destination: string): Followed | undefined {
  const safe = safeDestination(destination.replaceAll('&amp;', '&'));
  // An entity inside a host would be another host once it is decoded.
  if (safe === undefined || safe.host.includes('&')) return undefined;
  return { href: safe.href.replace(ends, encoded), host: safe.host };
}

/** Every label that reads as an address has one of these: a dot, an entity or a character that may stand for a dot. */
const mayShowAddress = /[.&]|[^\p{ASCII}]/u;

/**
 * A link of Markdown.
 * @param source the label as the writer wrote it, Markdown
 * @param shown the same, ready for the channel; an empty one shows the host
 */
export function linkTo({ href, host }: Followed, source: string, shown: string): string {
  const name = shown.trim() === '' ? asWords(host) : shown;
  // Reading the label as Markdown costs most of a link, so labels that show no address are not read.
  const misleads = mayShowAddress.test(source) && labelMisleads(plain(source), href);
  return misleads ? `[${name}](${href}) (${asWords(host)})` : `[${name}](${href})`;
}
