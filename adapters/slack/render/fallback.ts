/** The plain text of a message, for notifications and screen readers. */

import { parse, plainBlocks, renumbered, withAddresses } from '../../../src/kit/ladder.ts';
import { asMrkdwn, shortened, shortenedBytes } from './escape.ts';
import { createReading, type Reading } from './reading.ts';

/** Maximum bytes of UTF-8 that `chat.update` accepts as text. Above it, Slack responds with `msg_too_long`. */
export const FALLBACK_BYTES = 4_000;
/** Maximum characters of the answer that are parsed; more would not fit into the fallback text. */
const READ_CHARS = 6_000;

/**
 * Maximum characters of a post's text; Slack cuts off what is longer.
 * https://docs.slack.dev/reference/methods/chat.postMessage
 */
const POST_CHARS = 40_000;

/** Numbers shown for references to sources, the same as in the blocks. */
type Numbers = ReadonlyMap<number, number>;
const NONE: Numbers = new Map();

/** Returns the whole source as plain text. Used for a message that has no blocks, so its text must be complete. */
export function wholeText(source: string, otherwise: string, numbers: Numbers = NONE): string {
  const plain = plainBlocks(withAddresses(renumbered(parse(source), numbers)), '\n\n').trim();
  return shortened(asMrkdwn(plain === '' ? otherwise : plain), POST_CHARS);
}

/** True if an edit can show the whole source as text, without blocks. */
export function fitsEdit(source: string): boolean {
  return Buffer.byteLength(wholeText(source, '')) <= FALLBACK_BYTES;
}

/**
 * Returns the fallback text. It is never empty: if the source shows no text, it is `otherwise`.
 * @param reading the parse result of the message's last edit
 */
export function fallback(
  source: string,
  otherwise: string,
  reading: Reading = createReading(),
  numbers: Numbers = NONE,
): string {
  const markdown =
    numbers.size === 0
      ? reading.plain(source, READ_CHARS)
      : plainBlocks(renumbered(parse(source.slice(0, READ_CHARS)), numbers), '\n\n');
  const trimmed = markdown.trim();
  const text = shortenedBytes(asMrkdwn(trimmed === '' ? otherwise : trimmed), FALLBACK_BYTES);
  // Remove an entity that was cut in the middle, because Slack would show its letters.
  return text.replace(/&[a-z]{0,3}…$/, '…');
}
