/**
 * Waits for a channel that is down. Without this, replies would be given up during the outage, because writers repeat
 * a call with an unknown outcome only a few times.
 */

import { BridgeError } from '../../errors.ts';
import { type Clock, OVER, orAborted } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Message } from '../message.ts';

/** Pause between two probes, in milliseconds; doubled after each failure, up to the maximum. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Time for which replies wait for a channel that is down, in milliseconds. */
const MAX_OUTAGE_MS = 2 * 60 * 60_000;

/** The question whose reply is being written. The probe goes to the question's workspace. */
export type ProbedFor = Pick<Message, 'thread' | 'sender'>;

export type ChannelWatch = ReturnType<typeof createChannelWatch>;

interface WatchDeps {
  readonly channel: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves with false if the channel does not answer. Never rejects. */
  probe(message: ProbedFor): Promise<boolean>;
}

/** An outage of one tenant. All of its replies share the probes. */
interface Outage {
  readonly ended: Promise<void>;
  readonly waiting: Set<AbortSignal>;
  /** Aborts when no reply waits any more. */
  readonly left: AbortController;
}

export function createChannelWatch(deps: WatchDeps) {
  const probes = new Map<string, Promise<boolean>>();
  const outages = new Map<string, Outage>();
  const probeOnce = (tenant: string, message: ProbedFor): Promise<boolean> => {
    const running = probes.get(tenant) ?? deps.probe(message).finally(() => probes.delete(tenant));
    probes.set(tenant, running);
    return running;
  };
  const begin = (tenant: string, message: ProbedFor): Outage => {
    const waiting = new Set<AbortSignal>();
    const left = new AbortController();
    const ended = watch(message, { ...deps, waiting, left: left.signal });
    ended.catch(() => undefined).finally(() => outages.delete(tenant));
    const outage = { ended, waiting, left };
    outages.set(tenant, outage);
    return outage;
  };
  return {
    /**
     * Resolves once the channel answers a probe. Rejects with the signal's reason, or with `channel-unavailable` if the
     * channel is down for 2 h. Calls `stalled` if the first probe fails.
     */
    async answering(message: ProbedFor, signal: AbortSignal, stalled: () => void) {
      const { tenant } = message.thread;
      if (!outages.has(tenant) && (await orAborted(probeOnce(tenant, message), signal))) return;
      const { ended, waiting, left } = outages.get(tenant) ?? begin(tenant, message);
      waiting.add(signal);
      stalled();
      try {
        await orAborted(ended, signal);
      } finally {
        waiting.delete(signal);
        if (waiting.size === 0) left.abort(OVER);
      }
    },
  };
}

interface Watching extends WatchDeps {
  readonly waiting: ReadonlySet<AbortSignal>;
  readonly left: AbortSignal;
}

/** Probes until the channel answers or no reply waits any more. Logs the beginning and the end of the outage. */
async function watch(message: ProbedFor, deps: Watching): Promise<void> {
  const { clock, log, channel, waiting, left } = deps;
  const facts = { channel, tenant: message.thread.tenant };
  const since = clock.now();
  log.warn(facts, 'the channel does not answer; replies are kept until it answers again');
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    await clock.wait(pauseMs, left);
    if (await deps.probe(message)) break;
    if (clock.now() - since < MAX_OUTAGE_MS) continue;
    throw new BridgeError('channel-unavailable', `The channel "${channel}" did not answer for 2 h.`);
  }
  const ended = { ...facts, downMs: clock.now() - since, waiting: waiting.size };
  log.info(ended, 'the channel answers again; the replies that waited are shown now');
}
