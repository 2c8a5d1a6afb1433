/** The texts of a reply besides the agent's, for chats whose messages consist of text and buttons. */

import { isFinal, type Notice, type ReplyDocument } from '../core/reply.ts';
import { sourceTitle } from '../core/words.ts';
import type { ActionName } from '../reply/actions/press.ts';
import { actions } from '../reply/actions/table.ts';
import { asWords, followed, linkTo } from '../reply/markdown/emission/escape.ts';
import { type LinkOf, sourcesOf } from './sources.ts';
import { answerWords } from './words.ts';

/** Maximum number of listed sources and files. */
const LISTED = 10;

export interface Button {
  readonly action: ActionName;
  readonly label: string;
  /** The message that a person sends in place of the press: `stop`, `retry`, `regenerate`, or the number of a suggestion. */
  readonly word: string;
}

/** Returns the buttons of a reply: Stop while it is written, then Retry or Regenerate, and the suggested questions. */
export function buttonsOf(document: ReplyDocument): readonly Button[] {
  const { agent, state, retry, suggestions } = document;
  const button = (action: 'stop' | 'retry' | 'regenerate'): Button => ({
    action,
    label: actions[action].label,
    word: action,
  });
  if (!isFinal(document)) return [button('stop')];
  const isAnswer = state === 'done' && agent !== undefined;
  return [
    ...(retry ? [button('retry')] : []),
    ...(isAnswer ? [button('regenerate')] : []),
    ...suggestions.map((label, at): Button => ({ action: 'suggestion', label, word: `${at + 1}` })),
  ];
}

/** Returns the sign that stands before a notice; empty for a notice that only informs. */
export const noticeSign = ({ tone }: Pick<Notice, 'tone'>): string => (tone === 'info' ? '' : '⚠ ');

/** Returns the notice that stands in for the text of an answer that has none. */
export const lastNotice = ({ notices }: Pick<ReplyDocument, 'notices'>): Notice | undefined =>
  notices.findLast(({ text }) => text.trim() !== '');

/** Returns the lines of Markdown below an answer. Lines that may arrive after its end come last. */
export function linesBelow(document: ReplyDocument, linkOf: LinkOf | undefined) {
  const { notices, media } = document;
  return {
    notices: notices.map((notice) => noticeSign(notice) + notice.text.replace(/\s+/g, ' ')),
    files: media
      .slice(0, LISTED)
      .flatMap(({ name, link }) => (link === undefined ? [] : [linked(name, link)])),
    sources: sourcesOf(document, { linkOf })
      .slice(0, LISTED)
      .map(({ number, source }) => `${number}. ${linked(sourceTitle(source, number), source.link)}`),
  };
}

function linked(name: string, link: string | undefined): string {
  const target = link === undefined ? undefined : followed(link);
  return target === undefined ? asWords(name) : linkTo(target, name, asWords(name));
}

/** Returns what a reply without text shows: that it ended without text, or what happens now. As Markdown. */
export function lineInPlace(document: ReplyDocument): string {
  const { meanwhile, steps } = document;
  if (isFinal(document)) return answerWords.noText;
  const step = steps.findLast(({ state }) => state === 'running')?.name;
  return meanwhile ?? (step === undefined ? answerWords.thinking : asWords(step));
}
