/** The question of a reply once more: read again where it stands, because nothing keeps what people wrote. */

import { plains } from '../../../src/kit/json.ts';
import { type AgentCard, type Clock, type Message, type ThreadRef, within } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { tsOf } from '../ids.ts';
import { toMessage } from '../inbound/intake.ts';
import { messageMarkdown } from '../inbound/message-text.ts';
import { isPrivate } from '../private.ts';
import { decodeMessage } from '../receive/decode.ts';
import type { Reads } from '../receive/reads.ts';

/** Longer nobody waits for Slack's copy: for a day the bridge has its own. */
const READ_MS = 2_000;

export interface Questions {
  /** Nothing where it cannot be read: it was an act, it was deleted, or Slack does not tell. */
  read(workspace: Workspace, question: string, thread: ThreadRef): Promise<Message | undefined>;
}

export interface QuestionsDeps {
  readonly reads: Reads;
  readonly clock: Clock;
  agents(): readonly AgentCard[];
}

export function createQuestions(deps: QuestionsDeps): Questions {
  return {
    async read(workspace, question, thread) {
      const ts = tsOf(question);
      if (isPrivate(thread) || !/^\d+\.\d+$/.test(ts)) return undefined;
      const args = {
        channel: thread.room,
        ts: thread.key,
        oldest: ts,
        latest: ts,
        inclusive: true,
        limit: 2,
      };
      const over = new AbortController();
      const reading = deps.reads
        .call(workspace, 'conversations.replies', args, over.signal)
        .catch(() => undefined);
      const answer = await within(reading, READ_MS, deps.clock).finally(() => over.abort());
      // Slack puts the thread's first message before whatever is asked for.
      const found = plains(answer?.messages)
        .map((each) => decodeMessage(each, { channel: thread.room }))
        .find((each) => each?.ts === ts);
      if (found?.user === undefined || found.user === workspace.botUser) return undefined;
      const asking = { workspace, markdown: messageMarkdown(found) };
      return { ...toMessage({ threadTs: thread.key, ...found }, asking, deps), thread };
    },
  };
}
