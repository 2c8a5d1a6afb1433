/** What was said in a thread or chat before a question, where owners consented that it is read: its text is kept nowhere. */

import type { Quote } from '../../../src/kit.ts';
import type { GraphMessage } from '../api/graph.ts';
import { plainOf } from '../receive/html.ts';

/** Quotes that go along, and how much of each (UTF-16 units). */
const QUOTES = 20;
const QUOTE_CHARS = 4_000;

export interface Hearing {
  /** Our own app in Microsoft Entra. */
  readonly appId: string;
  /** Whether follow-ups there need no mention once an agent was asked. */
  readonly engages: boolean;
}

/** What people said since an agent last heard of the thread, oldest first. */
export function unseen(messages: readonly GraphMessage[], hearing: Hearing): readonly Quote[] {
  // Ids are the times at which messages were written, and no two are the same.
  const ordered = messages.toSorted((one, other) => Number(one.id) - Number(other.id));
  let engaged = false;
  let from = 0;
  for (const [index, message] of ordered.entries()) {
    if (!heard(message, hearing, engaged)) continue;
    engaged = true;
    from = index + 1;
  }
  return ordered
    .slice(from)
    .map(({ author = 'somebody', body }) => ({ author, text: cut(plainOf(body), QUOTE_CHARS) }))
    .filter(({ text }) => text !== '')
    .slice(-QUOTES);
}

/** Ours, or a question to us. */
function heard(
  { app, body, mentions = [] }: GraphMessage,
  { appId, engages }: Hearing,
  engaged: boolean,
): boolean {
  if (app === appId || mentions.includes(appId)) return true;
  return engages && engaged && app === undefined && !BEGINS_WITH_NAME.test(body);
}

/** Words that begin by naming somebody else are theirs. */
const BEGINS_WITH_NAME = /^\s{0,20}(?:<(?:p|div)>\s{0,20}){0,5}<at\b/;

/** The beginning of a text, never ending inside a surrogate pair. */
function cut(words: string, length: number): string {
  return words.length <= length ? words : words.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
