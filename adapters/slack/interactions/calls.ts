/**
 * Calls of Slack's Web API outside replies. Makes a call at most 3 times, and repeats it only if that cannot duplicate
 * anything.
 */

import type { Plain } from '../../../src/kit/json.ts';
import type { Clock, Log } from '../../../src/kit.ts';
import type { Wanted } from '../api/permits.ts';
import type { Sender } from '../api/sender.ts';
import type { Workspace } from '../api/workspace.ts';

export interface Failed {
  readonly ok: false;
  /** Slack's error code, such as `not_in_channel`. */
  readonly error: string;
  /** True if the call may have taken effect: its outcome is unknown. */
  readonly lost: boolean;
}

export type Called = { readonly ok: true; readonly answer: Plain } | Failed;

export type Calls = ReturnType<typeof createCalls>;

interface CallsDeps {
  /** Waits for a permit before each call, as the rate limits require. */
  readonly sender: Sender;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts waiting calls and running calls. */
  readonly signal: AbortSignal;
}

const TRIES = 3;
/** Pause before a call with an unknown outcome is repeated, in milliseconds. */
const PAUSE_MS = 1_000;
/**
 * Methods that may be repeated after an unknown outcome: if the first call took effect, the second one leaves no
 * lasting duplicate.
 */
const repeatable =
  /^(?:views\.(?:update|publish)|agents\.sessions\.rename|assistant\.threads\.|conversations\.|chat\.postEphemeral)/;

export function createCalls(deps: CallsDeps) {
  return {
    /** Makes the call, with repetitions. Never rejects. */
    async call({ tenant }: Pick<Workspace, 'tenant'>, method: string, args: Plain): Promise<Called> {
      const called = await tryCall({ tenant, method, args }, deps).catch(
        (): Called => ({ ok: false, error: 'stopped', lost: true }),
      );
      if (!called.ok) deps.log.info({ method, tenant, error: called.error }, 'a call to Slack failed');
      return called;
    },
  };
}

/** Makes the call and its repetitions. Rejects only when `signal` aborts. */
async function tryCall(
  { tenant, method, args }: Wanted,
  { sender, clock, signal }: CallsDeps,
): Promise<Called> {
  for (let tried = 1; ; tried++) {
    const answer = await sender.call(tenant, method, args, signal);
    if (answer.kind === 'done') return { ok: true, answer: answer.body };
    const lost = answer.kind === 'unknown';
    const again = lost ? repeatable.test(method) : answer.retryAfterMs !== undefined;
    if (!again || tried >= TRIES) return { ok: false, error: answer.error, lost };
    if (lost) await clock.wait(PAUSE_MS, signal);
  }
}
