/**
 * Reads the messages of a thread before a question, the newest first. Slack returns the oldest messages of the asked
 * time first, 200 a page, or 15 a page and one page a minute for some apps
 * (https://docs.slack.dev/reference/methods/conversations.replies), so the time before the question is asked for.
 */

import { plain, plains, text } from '../../../src/kit/ladder.ts';
import type { Log, Message } from '../../../src/kit.ts';
import type { Read } from '../api/calls.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private-places.ts';
import { decodeMessage } from '../receive/decode.ts';
import type { SlackMessage } from '../receive/events.ts';

/** Messages per page, and maximum number of pages. */
const PAGE = 200;
const PAGES = 10;
/** Number of messages after which no older ones are read: more than a question ever contains. */
const ENOUGH = 100;
const DAY_S = 24 * 60 * 60;
/**
 * The times before the question that are read, in seconds. The first is a day; while it holds more than a page, a
 * shorter one is read. Then longer ones are read until enough messages are found.
 */
const TIMES = [150, 60 * 60, DAY_S, 30 * DAY_S, Number.POSITIVE_INFINITY];
const FIRST = TIMES.indexOf(DAY_S);

export interface Thread {
  /** Oldest first, without the question and later messages. */
  readonly messages: readonly SlackMessage[];
  /** Number of messages before the question that were not read; undefined if Slack does not report it. */
  readonly unread: number | undefined;
}

export async function readThread(
  { id, thread }: Message,
  read: Read,
  log: Log,
  signal: AbortSignal,
): Promise<Thread> {
  const question = tsOf(id);
  if (thread.key === question || isPrivate(thread)) return { messages: [], unread: 0 };
  const { tenant, room: channel, key: ts } = thread;
  const found = new Map<string, SlackMessage>();
  let pages = 0;
  const page = async (oldest: string, latest: string, cursor?: string): Promise<string | undefined> => {
    pages += 1;
    const time = { oldest, latest, inclusive: true, limit: PAGE, cursor };
    const args = { channel, ts, ...time, include_all_metadata: true };
    const answer = await read('conversations.replies', args);
    for (const each of plains(answer.messages)) {
      const message = decodeMessage(each, { channel });
      if (message !== undefined) found.set(message.ts, message);
    }
    return text(plain(answer.response_metadata).next_cursor);
  };
  const since = (seconds: number): string => {
    const from = Number(question) - seconds;
    return from <= Number(ts) ? ts : from.toFixed(6);
  };
  const starts = [...new Set(TIMES.map(since))];
  /** Resolves with true once the thread's first message is read. */
  const readAll = async (): Promise<boolean> => {
    let latest = question;
    let at = Math.min(FIRST, starts.length - 1);
    let cursor = await page(starts[at] ?? ts, latest);
    while (cursor !== undefined && at > 0) cursor = await page(starts[--at] ?? ts, latest);
    for (;;) {
      const oldest = starts[at] ?? ts;
      while (cursor !== undefined && pages < PAGES) cursor = await page(oldest, latest, cursor);
      if (cursor !== undefined || oldest === ts) return cursor === undefined;
      if (found.size >= ENOUGH || pages >= PAGES) return false;
      latest = oldest;
      cursor = await page(starts[++at] ?? ts, latest);
    }
  };
  const isWhole = await readAll().catch((err: unknown) => {
    signal.throwIfAborted();
    if (found.size === 0) throw err;
    log.warn({ err, tenant }, 'only a part of a thread could be read');
    return false;
  });
  const messages = [...found.values()]
    .filter((each) => Number(each.ts) < Number(question))
    .sort((one, other) => Number(one.ts) - Number(other.ts));
  return { messages, unread: isWhole ? 0 : unreadOf(found, ts, question) };
}

/** @param root time stamp of the thread's first message, whose `reply_count` is the number of replies */
function unreadOf(
  found: ReadonlyMap<string, SlackMessage>,
  root: string,
  question: string,
): number | undefined {
  const replies = found.get(root)?.replies;
  const others = found.has(question) ? 1 : 0;
  return replies === undefined ? undefined : Math.max(0, replies - (found.size - others));
}
