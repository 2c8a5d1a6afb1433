/** The plain text of a message, for notifications and screen readers. */

import { parse, plainBlocks, renumbered } from '../../../src/kit.ts';
import { asMrkdwn, shortened, shortenedBytes } from './escape.ts';
import { createReading, type Reading } from './reading.ts';

/** Maximum bytes of UTF-8 that `chat.update` accepts as text (Slack: msg_too_long). */
export const FALLBACK_BYTES = 4_000;
/** Maximum characters of the source that are parsed; the text cannot show more. */
const READ_CHARS = 6_000;

/**
 * Maximum characters of a post's text; Slack cuts off the rest.
 * https://docs.slack.dev/reference/methods/chat.postMessage
 */
const POST_CHARS = 40_000;

/** Displayed numbers of source marks, the same as in the blocks. */
type Numbers = ReadonlyMap<number, number>;
const NONE: Numbers = new Map();

const plainText = (source: string, numbers: Numbers): string =>
  plainBlocks(numbers.size === 0 ? parse(source) : renumbered(parse(source), numbers), '\n\n');

/** Returns all of the source as plain text, for a message that is shown by its text alone and must not be cut. */
export function wholeText(source: string, otherwise: string, numbers: Numbers = NONE): string {
  const shown = plainText(source, numbers).trim();
  return shortened(asMrkdwn(shown === '' ? otherwise : shown), POST_CHARS);
}

/** True if an edit can show the source by its text alone. */
export function fitsEdit(source: string): boolean {
  return Buffer.byteLength(wholeText(source, '')) <= FALLBACK_BYTES;
}

/**
 * Returns the fallback text, never empty: `otherwise` if the source shows no text.
 * @param reading the parse result of the message's last edit
 */
export function fallback(
  source: string,
  otherwise: string,
  reading: Reading = createReading(),
  numbers: Numbers = NONE,
): string {
  const said =
    numbers.size === 0 ? reading.plain(source, READ_CHARS) : plainText(source.slice(0, READ_CHARS), numbers);
  const shown = said.trim();
  const text = shortenedBytes(asMrkdwn(shown === '' ? otherwise : shown), FALLBACK_BYTES);
  // Remove an entity that the cut left incomplete, because Slack would show its letters.
  return text.replace(/&[a-z]{0,3}…$/, '…');
}
