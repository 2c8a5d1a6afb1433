/** The plain text that stands for a message in notifications and to screen readers. */

import { parse, plainBlocks, renumbered } from '../../../src/kit.ts';
import { asMrkdwn, shortened, shortenedBytes } from './escape.ts';
import { createReading, type Reading } from './reading.ts';

/** Bytes of UTF-8 that `chat.update` takes as text (Slack: msg_too_long). */
export const FALLBACK_BYTES = 4_000;
/** More of the source than can be shown is not read. */
const READ_CHARS = 6_000;

/**
 * Characters of text that a post may have (Slack cuts off what is beyond,
 * https://docs.slack.dev/reference/methods/chat.postMessage).
 */
const POST_CHARS = 40_000;

/** Displayed numbers of source marks, the same as in the blocks. */
type Numbers = ReadonlyMap<number, number>;
const NONE: Numbers = new Map();

const plainText = (source: string, numbers: Numbers): string =>
  plainBlocks(numbers.size === 0 ? parse(source) : renumbered(parse(source), numbers), '\n\n');

/** All of the source as plain text, for a message that is shown by its text alone. A part of an answer is never cut. */
export function wholeText(source: string, otherwise: string, numbers: Numbers = NONE): string {
  const shown = plainText(source, numbers).trim();
  return shortened(asMrkdwn(shown === '' ? otherwise : shown), POST_CHARS);
}

/** True if an edit can show the source by its text alone. */
export function fitsEdit(source: string): boolean {
  return Buffer.byteLength(wholeText(source, '')) <= FALLBACK_BYTES;
}

/**
 * Never empty: where the source shows nothing, `otherwise` stands.
 * @param reading what is known of the message from its last edit
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
  // An entity that was cut would show its letters.
  return text.replace(/&[a-z]{0,3}…$/, '…');
}
