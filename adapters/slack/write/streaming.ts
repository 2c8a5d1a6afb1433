/** Which workspaces show native streams: none where the operator wants none, and not for a while where Slack has none. */

import type { Clock } from '../../../src/kit.ts';

/** How long a workspace without streams is not asked for one again: every try delays the first words. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** Workspaces that are remembered; one that is forgotten is asked once more. */
const WORKSPACES = 1_000;

export interface Streaming {
  /** Whether a reply in this workspace may begin as a stream. */
  has(tenant: string): boolean;
  /** Slack has no streams there. */
  lacks(tenant: string): void;
}

export function createStreaming(wanted: boolean, clock: Clock): Streaming {
  const lacking = new Map<string, number>();
  return {
    has(tenant) {
      const since = lacking.get(tenant);
      return wanted && (since === undefined || Math.abs(clock.now() - since) >= FORGOTTEN_AFTER_MS);
    },
    lacks(tenant) {
      lacking.set(tenant, clock.now());
      const [oldest] = lacking.keys();
      if (lacking.size > WORKSPACES && oldest !== undefined) lacking.delete(oldest);
    },
  };
}
