/** Leave for calls that only ask: they count among those of the organisation, and nobody waits long for them. */

import type { AdapterHost, SideLeave } from '../../../src/kit.ts';

/** Milliseconds; then it is asked all the same, and counted: a person waits for what comes of it. */
const LEAVE_MS = 5_000;

export function leaveToAsk(
  host: Pick<AdapterHost, 'leave' | 'leaveAtOnce'>,
  tenant: string,
): (signal: AbortSignal) => Promise<SideLeave> {
  const call = { tenant, room: '', family: 'asking', first: true } as const;
  return async (signal) => (await host.leave(call, LEAVE_MS, signal)) ?? host.leaveAtOnce(call);
}
