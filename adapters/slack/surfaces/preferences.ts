/** What a person chose for themselves in the app's home. */

import { plain, text } from '../../../src/kit/json.ts';
import { type AgentName, agentName, type Keyed } from '../../../src/kit.ts';

export interface Preference {
  /** Whom they ask in direct messages. */
  readonly agent?: AgentName;
  /** BCP 47; absent: as in Slack. */
  readonly language?: string;
}

export interface Preferences {
  of(tenant: string, user: string): Promise<Preference>;
  set(tenant: string, user: string, preference: Preference): Promise<void>;
}

/** A year without a change. */
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
