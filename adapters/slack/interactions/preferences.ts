/** Preferences that a person chose in the app's home. */

import {
  type AgentName,
  agentName,
  type Keyed,
  orAborted,
  plain,
  text,
  within,
} from '../../../src/kit/ladder.ts';
import { type Clock, defined, type Message } from '../../../src/kit.ts';

export interface Preference {
  /** The agent that answers the person in direct messages. */
  readonly agent?: AgentName;
  /** BCP 47 tag. If absent, the language of the person's Slack profile applies. */
  readonly language?: string;
}

/** Preferences expire a year after their last change. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

export type Preferences = ReturnType<typeof createPreferences>;

export function createPreferences(state: Keyed) {
  const keyOf = (tenant: string, user: string) => `preference ${tenant} ${user}`;
  return {
    async of(tenant: string, user: string): Promise<Preference> {
      const stored = plain(await state.get(keyOf(tenant, user)));
      const agent = text(stored.agent);
      return defined({
        agent: agent === undefined ? undefined : agentName(agent),
        language: text(stored.language),
      });
    },
    set: (tenant: string, user: string, preference: Preference): Promise<void> =>
      state.set(keyOf(tenant, user), preference, KEPT_MS, { tenant, person: user }),
  };
}

/** Maximum time, in milliseconds, that an answer waits for the post of its question. */
const WAIT_MS = 5_000;
/** Maximum number of posts that are tracked at the same time. */
const PENDING = 1_000;

export type QuestionPosts = ReturnType<typeof createQuestionPosts>;

/** Tracks the posts of questions that people asked with a button or form, so that answers can wait for them. */
export function createQuestionPosts(clock: Clock) {
  const pending = new Map<string, Promise<unknown>>();
  return {
    /**
     * Tracks a post until it has succeeded or failed.
     * @param message id of the question's message
     */
    begin(message: string, posting: Promise<unknown>): void {
      if (pending.size >= PENDING) return;
      const settled = posting.catch(() => undefined).finally(() => pending.delete(message));
      pending.set(message, settled);
    },
    /** Resolves once the post of the message's question has succeeded or failed, or after 5 s. */
    async wait({ id }: Pick<Message, 'id'>, signal: AbortSignal): Promise<void> {
      const posting = pending.get(id);
      if (posting === undefined) return;
      await orAborted(within(posting, WAIT_MS, clock), signal).catch(() => undefined);
    },
  };
}
