/** Calls of the Web API that are no replies: they wait where Slack is busy, but not beyond reason. */

import type { Plain } from '../../../src/kit/json.ts';
import type { Clock, Log } from '../../../src/kit.ts';
import type { Sender } from '../api/sender.ts';
import type { Workspace } from '../receive/workspace.ts';

export type Called =
  | { readonly ok: true; readonly answer: Plain }
  /** Slack's own word for why, such as `not_in_channel`. */
  | { readonly ok: false; readonly error: string };

export interface Calls {
  /** Resolves whatever happens. */
  call(workspace: Pick<Workspace, 'tenant'>, method: string, args: Plain): Promise<Called>;
}

export interface CallsParts {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the waits, and what is on its way. */
  readonly signal: AbortSignal;
}

/** Longer than this nobody remembers what they pressed. */
const LONGEST_WAIT_MS = 15_000;
const TRIES = 3;
/** Pause before a call is repeated whose outcome nobody knows. */
const PAUSE_MS = 1_000;
/** Methods of workspaces that are remembered as busy. */
const BUSY = 1_000;
/** To do these twice is to do them once. */
const repeatable =
  /^(?:views\.(?:update|publish)|agents\.sessions\.rename|assistant\.threads\.|conversations\.|chat\.postEphemeral)/;

export function createCalls(parts: CallsParts): Calls {
  const busy = createBusy(parts.clock);
  return {
    async call({ tenant }, method, args) {
      const called = await tryCall({ tenant, method, args }, { ...parts, busy }).catch(
        (): Called => ({ ok: false, error: 'stopped' }),
      );
      if (!called.ok) parts.log.info({ method, tenant, error: called.error }, 'a call of Slack did not work');
      return called;
    },
  };
}

interface Wanted {
  readonly tenant: string;
  readonly method: string;
  readonly args: Plain;
}

/** Rejects only when all stops. */
async function tryCall(
  { tenant, method, args }: Wanted,
  { sender, clock, signal, busy }: CallsParts & { busy: Busy },
): Promise<Called> {
  const place = `${tenant} ${method}`;
  for (let tried = 1; ; tried++) {
    const wait = busy.until(place) - clock.now();
    if (wait > LONGEST_WAIT_MS) return { ok: false, error: 'ratelimited' };
    if (wait > 0) await clock.wait(wait, signal);
    const answer = await sender.call(tenant, method, args, signal);
    if (answer.kind === 'done') return { ok: true, answer: answer.body };
    const again = answer.kind === 'unknown' ? repeatable.test(method) : answer.retryAfterMs !== undefined;
    if (!again || tried >= TRIES) return { ok: false, error: answer.error };
    busy.close(place, answer.kind === 'unknown' ? PAUSE_MS : (answer.retryAfterMs ?? PAUSE_MS));
  }
}

interface Busy {
  /** When a method of a workspace may be called again, as Slack said. */
  until(place: string): number;
  close(place: string, ms: number): void;
}

function createBusy(clock: Clock): Busy {
  const closed = new Map<string, number>();
  return {
    until: (place) => closed.get(place) ?? 0,
    close(place, ms) {
      closed.delete(place);
      closed.set(place, clock.now() + ms);
      const [oldest] = closed.keys();
      if (closed.size > BUSY && oldest !== undefined) closed.delete(oldest);
    },
  };
}
