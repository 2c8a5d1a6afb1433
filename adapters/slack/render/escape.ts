/**
 * Escaping. Every text for Slack passes through one of these functions, so that text of an agent, document or person
 * never becomes active: no mention, no channel link, no link with a label, no image.
 */

import type { PlainTextElement } from '@slack/types';
import { bracketless, carried, characterBefore, shortened } from '../../../src/kit/ladder.ts';

export { asWords, bracketless, carried, shortened } from '../../../src/kit/ladder.ts';

/** Matches text that Slack would read as a mention, a command or a link with a label if its `<` were not escaped. */
const activeMarkup = /<(?=[!@#]|[a-z][a-z0-9+.-]*:)/gi;
/** An invisible character. Put between two characters, it keeps Slack from reading them together. */
const WORD_JOINER = '\u2060';

/** Matches a tilde before a number or price. Two of them would strike out the text between them. */
const about = /~(?=[\d\p{Sc}])/gu;

/**
 * Escapes a text for `mrkdwn` and for the fallback text, where `&` must be escaped too. `mrkdwn` cannot escape a tilde,
 * so a similar sign replaces it (seen in PostHog/posthog#68839 and gastownhall/gascity-packs#337).
 */
export function asMrkdwn(text: string): string {
  return bracketless(carried(text).replaceAll('&', '&amp;')).replace(about, '∼');
}

/**
 * Escapes texts that Slack shows literally: plain texts, labels and cells. The result looks the same, and stays
 * inactive even if Slack reads it as `mrkdwn`.
 */
export function inert(text: string): string {
  return carried(text).replace(activeMarkup, `<${WORD_JOINER}`);
}

/** Matches the characters that begin a link, an image, a reference or a tag in Markdown. */
const markdownOpeners = /\](?=[([:])|<(?=[^\s\u2060])/g;

/**
 * Escapes a text for places where Slack does not document whether it reads Markdown. The result looks the same either
 * way.
 */
export function unmarked(text: string): string {
  return text.replace(markdownOpeners, `$&${WORD_JOINER}`);
}

/** Returns a label on one line, escaped and never empty. */
export function label(text: string, limit: number, otherwise: string): string {
  const line = inert(text).replace(/\s+/g, ' ').trim();
  return shortened(line === '' ? otherwise : line, limit);
}

/** Returns a text object. Slack refuses empty texts. */
export function plainTextElement(text: string, limit: number): PlainTextElement {
  return { type: 'plain_text', text: label(text, limit, '–'), emoji: false };
}

/** Returns the beginning of a text, at most `limit` bytes of UTF-8, with an ellipsis if it was cut. */
export function shortenedBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const room = new Uint8Array(limit - Buffer.byteLength('…'));
  // `encodeInto` stops before the first character that does not fit.
  const { read } = new TextEncoder().encodeInto(text, room);
  return `${text.slice(0, characterBefore(text, read))}…`;
}
