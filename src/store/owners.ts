/** The column `owner` of stored values, which forgetting reads in place of their keys. */

import type { Owner } from '../core/stores/keyed.ts';

/** Matches the namespace of a channel's state (`bridge/host.ts`). */
const OF_CHANNEL = /^(?:adapter|secrets) (.+)$/;

/** Returns the JSON object of the column. `{}` belongs to nobody, and `several` to the people in the value. */
export function ownerColumn(owner: Owner | undefined, namespace: string): string | null {
  // A channel from outside the repository may be plain JavaScript, and may leave out the owner.
  if (owner === undefined) return null;
  if (owner === 'nobody') return '{}';
  const [, channel] = OF_CHANNEL.exec(namespace) ?? [];
  return JSON.stringify({ channel, ...(owner === 'several' ? { several: true } : owner) });
}
