/** Renders the text of messages. Pure. */

import { isFinal, type ReplyDocument, type ReplyMessage, sourceTitle } from 'parley/kit';
import { type Dialect, type LinkOf, shortened, sourcesOf } from 'parley/kit/ladder';
import { linked, styled } from './styled.ts';
import { words } from './words.ts';

/** Leaves Markdown as it is, because `styled` converts it later. */
export const markdown: Dialect = {
  prose: (text) => text,
  code: (text) => text,
  codeSpan: (text) => text,
  language: (name) => name,
  mark: (number) => `\\[${number}]`,
  image: (text) => `${words.imageMark} ${text}`,
};

/**
 * Maximum characters of a message's Markdown. Every correction sends the whole text again, and servers limit bytes, so
 * that a longer text would grow more slowly. Servers accept stanzas of 64 KiB or more.
 */
export const PART_CHARS = 3_000;
/** Maximum number of listed sources, and characters of a title and of a suggested question. */
const LISTED = 10;
const TITLE_CHARS = 150;
const QUESTION_CHARS = 1_000;

/** Returns the body of a message, which is never blank. Below an answer, it says what other chats offer as buttons. */
export function bodyOf({ text, document, isLast, mayBeDouble }: ReplyMessage): string {
  const { retry, suggestions, editions } = document;
  const isEnd = isLast && isFinal(document);
  const questions = suggestions.map((each, at) => `${at + 1}. ${line(each, QUESTION_CHARS)}`);
  const under = [
    retry ? words.retry : '',
    mayBeDouble ? words.unconfirmed : '',
    questions.length === 0 ? '' : [words.suggested, ...questions].join('\n'),
    editions === undefined ? '' : words.version(editions.shown, editions.count),
  ];
  const parts = [styled(text), ...(isEnd ? under : [])].filter((each) => each.trim() !== '');
  return parts.join('\n\n') || (isEnd ? words.noText : words.thinking);
}

/** Returns the numbered sources of an answer, one per line; empty if it has none. */
export const sourceLines = (document: ReplyDocument, linkOf: LinkOf): string =>
  sourcesOf(document, { linkOf })
    .slice(0, LISTED)
    .map(({ number, source }) => {
      const title = line(sourceTitle(source, number), TITLE_CHARS);
      return `[${number}] ${linked(title, source.link ?? '')}`;
    })
    .join('\n');

/** Returns a text of an agent or a document on one line, without Markdown that styling would read. */
const line = (text: string, limit: number): string =>
  shortened(styled(text).replace(/\s+/g, ' ').trim(), limit);
