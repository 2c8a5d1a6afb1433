/** Waits while it is uncertain which process owns a turn. */

import { untilTrue } from '../clock.ts';
import type { TurnContext } from './turn-context.ts';

/**
 * While the lease is in doubt, waits until it is held or lost, or until the process shuts down. Interrupts a turn that
 * another process has claimed. Without this, a process that was paused could store its version of a reply, or ask a
 * question again, after the new owner did.
 */
export async function waitForLease({ claim, scope, deps: { inbox, clock } }: TurnContext): Promise<void> {
  if (inbox.holdsLease(claim)) return;
  const signal = AbortSignal.any([scope.showing, scope.shutdown]);
  await untilTrue(() => inbox.holdsLease(claim), clock, signal).catch(() => undefined);
  const renewed = await inbox.renew(claim).catch(() => 'held' as const);
  if (renewed === 'lost') scope.interrupt({ kind: 'lost' });
}
