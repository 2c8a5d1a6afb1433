/**
 * The choke point: every text that goes to Slack passes one of these. What an agent, a document or a person wrote never
 * comes to life there: no mention, no channel, no labelled address, no image.
 */

import { bracketless, carried, shortened } from '../../../src/kit/emission.ts';

export { asWords, bracketless, carried, shortened } from '../../../src/kit/emission.ts';

/** Matches text that Slack reads as a mention, a command or a labelled address if the angle bracket is raw. */
const lively = /<(?=[!@#]|[a-z][a-z0-9+.-]*:)/gi;
/** Keeps two characters apart and is not seen. */
const WORD_JOINER = '\u2060';
/** For `mrkdwn` and the fallback text, where `&` has to be escaped too. */
export function asMrkdwn(text: string): string {
  return bracketless(carried(text).replaceAll('&', '&amp;'));
}

/** For plain texts, labels and cells, which Slack shows as they are: exact to the eye, inert if it were read. */
export function inert(text: string): string {
  return carried(text).replace(lively, `<${WORD_JOINER}`);
}

/** Matches characters that make words a link, an image, a reference or a tag in Markdown. */
const joints = /\](?=[([:])|<(?=[^\s\u2060])/g;

/** For texts of which Slack does not tell whether it reads Markdown in them: the same to the eye either way. */
export function unmarked(text: string): string {
  return text.replace(joints, `$&${WORD_JOINER}`);
}

/** A label of one line: inert, never empty. */
export function label(text: string, limit: number, otherwise: string): string {
  const line = inert(text).replace(/\s+/g, ' ').trim();
  return shortened(line === '' ? otherwise : line, limit);
}

/** The beginning of a text, of at most `limit` bytes of UTF-8, with an ellipsis where it was cut. */
export function shortenedBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const room = new Uint8Array(limit - Buffer.byteLength('…'));
  // `encodeInto` stops before the first character that does not fit.
  const { read } = new TextEncoder().encodeInto(text, room);
  return `${text.slice(0, read)}…`;
}
