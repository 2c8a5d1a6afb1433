/** Reads the quotes in a message, which Teams sends in several formats. */

import { type Plain, plain, saysTheSame, text, wordsIn } from '../../../src/kit/ladder.ts';
import type { Quote } from '../../../src/kit.ts';
import { parsed, REFERENCE } from './attachments.ts';

/** Author of a quote for which Teams sends no author. */
const UNKNOWN_AUTHOR = 'somebody';
/** Maximum quotes of a message. */
export const MAX_QUOTES = 30;

export function quote(words: unknown, author: unknown): readonly Quote[] {
  const content = text(words);
  return content === undefined ? [] : [{ author: text(author) ?? UNKNOWN_AUTHOR, text: content }];
}

/** Returns the quote in a reply to a message (Teams SDK, "Quoted replies"). */
export function quotedReply(entity: Plain): readonly Quote[] {
  if (entity.type !== 'quotedReply') return [];
  const { preview = entity.preview, senderName = entity.senderName } = plain(entity.quotedReply);
  return quote(preview, senderName);
}

/** Returns the quote of a referenced message, whose content is JSON (Microsoft Graph, "chatMessageAttachment"). */
export function referenceOf({ contentType, content }: Plain): readonly Quote[] {
  if (contentType !== REFERENCE) return [];
  const { messagePreview, messageSender } = parsed(content);
  return quote(messagePreview, senderOf(messageSender));
}

export function senderOf(given: unknown): string {
  const { user, application, device } = plain(given);
  return (
    [user, application, device].map((each) => text(plain(each).displayName)).find(Boolean) ?? UNKNOWN_AUTHOR
  );
}

/** Returns each quote once, in its fullest format and with its author. */
export function distinct(quotes: readonly Quote[]): readonly Quote[] {
  const accepted: Quote[] = [];
  for (const each of quotes) {
    const at = accepted.findIndex((other) => isTwin(other, each));
    const twin = accepted[at];
    if (twin === undefined) accepted.push(each);
    else
      accepted[at] = {
        author: twin.author === UNKNOWN_AUTHOR ? each.author : twin.author,
        text: isFuller(each.text, twin.text) ? each.text : twin.text,
      };
  }
  return accepted;
}

/** True if the two are formats of one quote. Several people may have said the same, such as "+1" or only a picture. */
const isTwin = (one: Quote, other: Quote): boolean =>
  saysTheSame(one.text, other.text) &&
  (one.author === other.author || [one.author, other.author].includes(UNKNOWN_AUTHOR));

const lettersIn = (text: string): number => wordsIn(text).join('').length;

/** True if the text has more letters or, with as many letters, more markup. */
function isFuller(one: string, other: string): boolean {
  const more = lettersIn(one) - lettersIn(other);
  return more > 0 || (more === 0 && one.length > other.length);
}
