/**
 * Escaping: every text that goes to Slack passes one of these functions. Text of an agent, a document or a person never
 * becomes active there: no mention, no channel, no labelled address, no image.
 */

import { bracketless, carried, shortened } from '../../../src/kit/emission.ts';

export { asWords, bracketless, carried, shortened } from '../../../src/kit/emission.ts';

/** Matches text that Slack reads as a mention, a command or a labelled address if the angle bracket is raw. */
const activeMarkup = /<(?=[!@#]|[a-z][a-z0-9+.-]*:)/gi;
/** An invisible character that separates two others. */
const WORD_JOINER = '\u2060';

/** Escapes a text for `mrkdwn` and for the fallback text, where `&` must be escaped too. */
export function asMrkdwn(text: string): string {
  return bracketless(carried(text).replaceAll('&', '&amp;'));
}

/**
 * Escapes plain texts, labels and cells, which Slack shows unchanged. The result looks the same as the text, and stays
 * inert even if Slack reads it as `mrkdwn`.
 */
export function inert(text: string): string {
  return carried(text).replace(activeMarkup, `<${WORD_JOINER}`);
}

/** Matches the characters that begin a link, an image, a reference or a tag in Markdown. */
const markdownOpeners = /\](?=[([:])|<(?=[^\s\u2060])/g;

/** Escapes a text where Slack does not document whether Markdown applies. The result looks the same in both cases. */
export function unmarked(text: string): string {
  return text.replace(markdownOpeners, `$&${WORD_JOINER}`);
}

/** Returns a label of one line, inert and never empty. */
export function label(text: string, limit: number, otherwise: string): string {
  const line = inert(text).replace(/\s+/g, ' ').trim();
  return shortened(line === '' ? otherwise : line, limit);
}

/** Returns the beginning of a text, at most `limit` bytes of UTF-8, with an ellipsis if it was cut. */
export function shortenedBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const room = new Uint8Array(limit - Buffer.byteLength('…'));
  // `encodeInto` stops before the first character that does not fit.
  const { read } = new TextEncoder().encodeInto(text, room);
  return `${text.slice(0, read)}…`;
}
