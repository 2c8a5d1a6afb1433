/** Preferences that a person chose in the app's home. */

import { plain, text } from '../../../src/kit/json.ts';
import {
  type AgentCard,
  type AgentName,
  agentName,
  type Clock,
  type Keyed,
  type Lookup,
  type Message,
  orAborted,
  within,
} from '../../../src/kit.ts';

export interface Preference {
  /** The agent that answers them in direct messages. */
  readonly agent?: AgentName;
  /** BCP 47 tag; absent: the language of their Slack profile. */
  readonly language?: string;
}

export interface Preferences {
  of(tenant: string, user: string): Promise<Preference>;
  set(tenant: string, user: string, preference: Preference): Promise<void>;
}

/** Preferences expire a year after their last change. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

export function createPreferences(state: Keyed): Preferences {
  const keyOf = (tenant: string, user: string) => `preference ${tenant} ${user}`;
  return {
    async of(tenant, user) {
      const kept = plain(await state.get(keyOf(tenant, user)));
      const agent = text(kept.agent);
      const language = text(kept.language);
      return {
        ...(agent !== undefined && { agent: agentName(agent) }),
        ...(language !== undefined && { language }),
      };
    },
    set: (tenant, user, preference) => state.set(keyOf(tenant, user), preference, KEPT_MS),
  };
}

/** Maximum wait of an answer for the post of its question; after that the answer starts without it. */
const WAIT_MS = 5_000;
/** Maximum question posts that are tracked at once. */
const PENDING = 1_000;

export interface Shown {
  /** Tracks the post of the question with this message id. */
  begin(message: string, posting: Promise<unknown>): void;
  /** Resolves once the question is posted, or after 5 s. */
  wait(message: Pick<Message, 'id'>, signal: AbortSignal): Promise<void>;
}

export function createShown(clock: Clock): Shown {
  const pending = new Map<string, Promise<unknown>>();
  return {
    begin(message, posting) {
      if (pending.size >= PENDING) return;
      const settled = posting.catch(() => undefined).finally(() => pending.delete(message));
      pending.set(message, settled);
    },
    async wait({ id }, signal) {
      const posting = pending.get(id);
      if (posting === undefined) return;
      await orAborted(within(posting, WAIT_MS, clock), signal).catch(() => undefined);
    },
  };
}

interface PersonalDeps {
  readonly preferences: Preferences;
  readonly shown: Shown;
  agents(): readonly AgentCard[];
}

/** Extends the lookup of a question with the asker's preferences. */
export function personalLookup(lookup: Required<Lookup>, deps: PersonalDeps): Required<Lookup> {
  return {
    ...lookup,
    async complete(message, signal) {
      // A question asked with a button is posted in the thread before its answer.
      const [completed] = await Promise.all([
        lookup.complete(message, signal),
        deps.shown.wait(message, signal),
      ]);
      return personal(completed, deps);
    },
  };
}

/** Applies the asker's language everywhere, and their agent in direct messages and private threads only. */
async function personal(message: Message, { preferences, agents }: PersonalDeps): Promise<Message> {
  const { thread, sender } = message;
  const { agent, language } = await preferences.of(thread.tenant, sender.id);
  const known = thread.kind === 'direct' && agents().some(({ name }) => name === agent);
  return {
    ...message,
    ...(language !== undefined && { sender: { ...sender, language } }),
    ...(known && agent !== undefined && { roomAgent: agent }),
  };
}
