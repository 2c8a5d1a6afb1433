/** Probes platforms that are down, resumes the questions that wait for them, and lets old questions expire. */

import { asBridgeError } from '../../errors.ts';
import type { Breaker } from '../agents/breaker.ts';
import type { Clock } from '../clock.ts';
import type { AgentName } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Inbox } from '../stores/inbox.ts';
import type { TurnEvents } from '../turn-events.ts';

/** Interval between two checks, in milliseconds; shorter while postponed turns are resumed. */
const CHECK_EVERY_MS = 1_000;
const RESUME_EVERY_MS = 250;
/**
 * Interval between two counts of the postponed turns while all platforms answer, in milliseconds. Needed because a
 * turn may be postponed just as an outage ends.
 */
const COUNT_EVERY_MS = 60_000;

/** A platform, and the agents that it runs. */
export interface WatchedPlatform {
  readonly name: string;
  readonly address: string;
  /** Absent if questions are not kept; questions that an earlier process kept then expire. */
  readonly breaker?: Breaker;
  readonly agents: readonly AgentName[];
  /** Maximum age of a postponed question, in milliseconds. */
  readonly keepMs: number;
}

interface OutageDeps {
  readonly inbox: Pick<Inbox, 'resume' | 'expirePostponed' | 'counts'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly turnEvents: TurnEvents;
  readonly platforms: readonly WatchedPlatform[];
  /** Called when a platform goes down or answers again. */
  changed(platform: Pick<WatchedPlatform, 'name' | 'address'>, up: boolean): void;
}

interface Watched extends WatchedPlatform {
  /** Start of the logged outage, in milliseconds since the epoch; undefined while none is logged. */
  downSince: number | undefined;
}

export interface Outages {
  /**
   * Must be called before turns are claimed, so that the questions that an earlier process postponed are not all
   * asked at once.
   */
  begin(): Promise<void>;
  /** Checks the platforms until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function createOutages(deps: OutageDeps): Outages {
  const { clock, inbox, turnEvents } = deps;
  const all = deps.platforms.map((platform): Watched => ({ ...platform, downSince: undefined }));
  for (const each of all) if (each.breaker !== undefined) deps.changed(each, true);
  const isAnyPostponed = createLookout(all, deps);
  return {
    async begin() {
      const { postponed = 0 } = await inbox.counts();
      if (postponed > 0) for (const { breaker } of all) breaker?.suspect();
    },
    async run(signal) {
      while (!signal.aborted) {
        // Reports an error of the store and goes on, because a later check resumes the turns.
        await checkAll(all, isAnyPostponed, deps).catch((error: unknown) =>
          turnEvents.trouble(asBridgeError(error), clock.now()),
        );
        const isResuming = all.some(({ breaker }) => breaker?.state === 'recovering');
        await clock.wait(isResuming ? RESUME_EVERY_MS : CHECK_EVERY_MS, signal).catch(() => undefined);
      }
    },
  };
}

/**
 * Returns a function that resolves to true if there may be postponed turns. While a platform is down, it resolves to
 * true without counting them.
 */
function createLookout(all: readonly Watched[], { clock, inbox }: OutageDeps): () => Promise<boolean> {
  let countedAt = Number.NEGATIVE_INFINITY;
  let found = false;
  return async () => {
    const now = clock.now();
    if (all.some(({ breaker }) => breaker !== undefined && breaker.state !== 'up')) {
      countedAt = Number.NEGATIVE_INFINITY;
      return true;
    }
    if (found || Math.abs(now - countedAt) >= COUNT_EVERY_MS) {
      found = ((await inbox.counts()).postponed ?? 0) > 0;
      countedAt = now;
    }
    return found;
  };
}

async function checkAll(
  all: readonly Watched[],
  isAnyPostponed: () => Promise<boolean>,
  deps: OutageDeps,
): Promise<void> {
  await Promise.all(all.map(({ breaker }) => breaker?.check()));
  for (const each of all) await logChange(each, deps);
  if (!(await isAnyPostponed())) return;
  for (const each of all) await expireAndResume(each, all, deps);
}

async function expireAndResume(
  { breaker, agents, keepMs }: Watched,
  all: readonly Watched[],
  { inbox, clock }: OutageDeps,
): Promise<void> {
  const others = all.flatMap((each) => (each.agents === agents ? [] : each.agents));
  await inbox.expirePostponed(clock.now() - keepMs, others);
  if (breaker === undefined || breaker.room === 0) return;
  breaker.resumed(await inbox.resume(breaker.room, others));
}

/** Logs the beginning and the end of an outage, once each. */
async function logChange(watched: Watched, { log, inbox, clock, changed }: OutageDeps): Promise<void> {
  const { name, address, breaker, downSince } = watched;
  if (breaker === undefined) return;
  const { state } = breaker;
  if (state === 'down' && downSince === undefined) {
    watched.downSince = breaker.since ?? clock.now();
    changed(watched, false);
    log.warn(
      { name, platform: address },
      'the agent platform is down; questions are kept until it answers again',
    );
  }
  const answers = state === 'up' || state === 'recovering';
  if (!answers || downSince === undefined) return;
  watched.downSince = undefined;
  changed(watched, true);
  const { postponed = 0 } = await inbox.counts();
  const facts = { name, platform: address, downMs: clock.now() - downSince, waiting: postponed };
  log.info(facts, 'the agent platform answers again; the questions that were kept are asked now');
}
