/** The plain text that stands for a message in notifications and to screen readers. */

import { plain } from '../../../src/kit.ts';
import { asMrkdwn, shortenedBytes } from './escape.ts';

/** Bytes of UTF-8 that `chat.update` takes as text (Slack: msg_too_long). */
export const FALLBACK_BYTES = 4_000;
/** More of the source than can be shown is not read. */
const READ_CHARS = 6_000;

/** Never empty: where the source shows nothing, `otherwise` stands. */
export function fallback(source: string, otherwise: string): string {
  const shown = plain(source.slice(0, READ_CHARS)).trim();
  const text = shortenedBytes(asMrkdwn(shown === '' ? otherwise : shown), FALLBACK_BYTES);
  // An entity that was cut would show its letters.
  return text.replace(/&[a-z]{0,3}…$/, '…');
}
