/**
 * Posts "waiting" notices: immediately when a question is queued behind another one, within 5 s when the
 * bridge is saturated.
 */

import { asBridgeError } from '../../errors.ts';
import type { ChannelAdapter } from '../channel/adapter.ts';
import type { Clock } from '../clock.ts';
import type { Inbox, KeptBefore, Waiting } from '../stores/inbox.ts';
import { createTasks, type Tasks } from '../tasks.ts';
import type { CoreEvent, TurnEvents } from '../turn-events.ts';

/** Delivery contract 1: a question that waits is announced within 5 s. Both times are in milliseconds. */
const SWEEP_EVERY_MS = 1_000;
const ANNOUNCE_AFTER_MS = 2_000;
/** Maximum number of notices sent concurrently, so that one slow channel cannot delay the rest. */
const MAX_CONCURRENT = 200;

interface AnnouncerDeps {
  readonly inbox: Pick<Inbox, 'takeUnannounced'>;
  readonly clock: Clock;
  readonly turnEvents: TurnEvents;
  adapter(channel: string): Pick<ChannelAdapter<never, never>, 'abilities'>;
}

export function createAnnouncer(deps: AnnouncerDeps) {
  let nudged = Promise.withResolvers<void>();
  let eager = false;
  const notices = createTasks((error) => deps.turnEvents.trouble(asBridgeError(error), deps.clock.now()));
  return {
    /** Starts a sweep now, which announces the questions that are queued behind others. */
    nudge(): void {
      eager = true;
      nudged.resolve();
    },
    /** Posts notices until the signal aborts. Resolves once all notices that were begun are sent. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const pause = deps.clock.wait(SWEEP_EVERY_MS, signal).catch(() => undefined);
        await Promise.race([pause, nudged.promise]);
        if (signal.aborted) break;
        nudged = Promise.withResolvers<void>();
        const now = deps.clock.now();
        const ready = now - ANNOUNCE_AFTER_MS;
        // Turns that are ready start on their own; announce only the blocked ones.
        const bounds = { behind: eager ? now + 1 : ready, ready };
        eager = false;
        await sweep(bounds, notices, deps);
      }
      await notices.allEnded();
    },
  };
}

async function sweep(bounds: KeptBefore, notices: Tasks, deps: AnnouncerDeps): Promise<void> {
  const room = MAX_CONCURRENT - notices.size;
  if (room === 0) return notices.oneEnded();
  // Ignores an error of the store, because the readiness check reports it and a later sweep posts the notice.
  const waits = await deps.inbox.takeUnannounced(bounds, room).catch(() => []);
  for (const wait of waits) notices.start(() => announce(wait, deps));
}

async function announce({ turn, ahead }: Waiting, deps: AnnouncerDeps): Promise<void> {
  // A turn that only changes an existing reply needs no notice, nor does one whose reply is visible already. After a
  // takeover, a turn waits although its reply has begun.
  if (turn.origin.kind === 'show' || turn.origin.kind === 'withdraw') return;
  if (turn.screen !== undefined && turn.screen.parts.length > 0) return;
  const ability = deps.adapter(turn.message.thread.channel).abilities.waiting;
  const record = (name: CoreEvent['name'], detail: CoreEvent['detail']) =>
    deps.turnEvents.record({ turn: turn.id, at: deps.clock.now(), name, detail });
  record('waits', { ahead });
  await ability
    ?.say(turn, ahead)
    .catch((error: unknown) => record('trouble', { what: 'notice', cause: String(error) }));
}
