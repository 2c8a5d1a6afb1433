/**
 * What a person looks at in Slack while writing to the app. The event names it by its id only. A message is read when
 * the turn runs, but only if the person is a member of its conversation; everything else is named.
 */

import { plain, plains, text, words } from '../../../src/kit/ladder.ts';
import type { Message, Quote } from '../../../src/kit.ts';
import type { Read } from '../api/calls.ts';
import { decodeMessage } from '../receive/decode.ts';
import type { InView, SlackMessage } from '../receive/events.ts';

/** Author of the quotes that name what is in view. */
const AUTHOR = 'Slack';
/** Members per page, and maximum number of pages; a person who is not found counts as no member. */
const PAGE = 999;
const PAGES = 5;

export function viewQuotes({ inView = [] }: Pick<SlackMessage, 'inView'>): readonly Quote[] {
  return inView.map((each) => ({ author: AUTHOR, text: describe(each), kind: 'view' }));
}

function describe(seen: InView): string {
  if (seen.kind === 'message')
    return `this message: https://slack.com/archives/${seen.conversation}/p${seen.ts.replace('.', '')}`;
  return seen.type === 'channel' ? `the channel <#${seen.id}>` : `the ${seen.type} ${seen.id}`;
}

const LINK = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})$/;

/** Returns the message that the quote names; undefined if the person may not see it. */
export async function readInView(
  { kind, text: link }: Quote,
  question: Message,
  read: Read,
): Promise<SlackMessage | undefined> {
  const [, channel, seconds, micros] = (kind === 'view' && LINK.exec(link)) || [];
  if (channel === undefined) return undefined;
  if (channel !== question.thread.room && !(await isMember(question.sender.id, channel, read)))
    return undefined;
  const ts = `${seconds}.${micros}`;
  const only = { channel, oldest: ts, latest: ts, inclusive: true, limit: 1 };
  const { messages } = await read('conversations.history', only);
  const found = plains(messages).find((each) => each.ts === ts);
  return found && decodeMessage(found, { channel });
}

async function isMember(person: string, channel: string, read: Read): Promise<boolean> {
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const answer = await read('conversations.members', { channel, limit: PAGE, cursor });
    if (words(answer.members).includes(person)) return true;
    cursor = text(plain(answer.response_metadata).next_cursor);
    if (cursor === undefined) return false;
  }
  return false;
}
