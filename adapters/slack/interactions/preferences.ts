/** Preferences that a person chose in the app's home. */

import { type AgentName, agentName, type Keyed, plain, text } from '../../../src/kit/ladder.ts';
import { defined, type Message } from '../../../src/kit.ts';

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

/** Maximum number of posts that are tracked at the same time. */
const PENDING = 1_000;

export type QuestionPosts = ReturnType<typeof createQuestionPosts>;

/** Tracks the posts of questions that people asked with a button or form, so that answers can wait for them. */
export function createQuestionPosts() {
  const pending = new Map<string, Promise<unknown>>();
  return {
    /**
     * Tracks a post until it has succeeded or failed.
     * @param message id of the question's message
     */
    begin(message: string, posting: Promise<unknown>): void {
      const settled = posting.catch(() => undefined).finally(() => pending.delete(message));
      if (pending.size < PENDING) pending.set(message, settled);
    },
    /** Resolves once the post of the message's question has succeeded or failed. */
    wait: async ({ id }: Pick<Message, 'id'>) => void (await pending.get(id)),
  };
}
