/**
 * The stored form of links between people and platform accounts: `link` names the account of a person, and `holder`
 * names the person who has an account in a workspace. `asked` leads from a person to their one-time code.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { ThreadRef } from '../core/message.ts';
import type { ForgetTarget } from '../core/stores/forgetting.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { type KeyedRow, type KeyedRows, openSealed, type Sealing } from '../store/index.ts';

export const LINKS = 'account links';

export interface Link {
  readonly account: string;
  /** Time of the confirmation, in milliseconds since the epoch; absent in links of earlier versions. */
  readonly since?: number;
  /** The channel in which the person confirmed the link, and their id there; the id is absent in links of earlier versions. */
  readonly by?: string;
  readonly byPerson?: string;
  /** The person's name, as the channel showed it. */
  readonly name?: string;
}

/** A link, with the person whom it links: the channel, the workspace, and the id of the person in this workspace. */
export interface LinkRecord extends Link {
  readonly channel: string;
  readonly tenant: string;
  readonly person: string;
  /** Time at which the link ends, in milliseconds since the epoch. */
  readonly until: number;
}

type Scope = Pick<ThreadRef, 'channel' | 'tenant'>;

export const idOf = (channel: string, tenant: string, person: string): string =>
  JSON.stringify([channel, tenant, person]);

export const linkKey = ({ channel, tenant }: Scope, person: string): string =>
  `link ${idOf(channel, tenant, person)}`;

/** The account's name is hashed, because keys are not encrypted. */
export const holderKey = ({ channel, tenant }: Scope, account: string): string =>
  `holder ${idOf(channel, tenant, hash(account))}`;

/** Looking a code up by its hash takes the same time for every wrong code, however much of it is right. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export const isLink = (value: unknown): value is Link =>
  typeof value === 'object' && value !== null && 'account' in value && typeof value.account === 'string';

interface RecordsDeps {
  readonly rows: KeyedRows;
  readonly sealing: Omit<Sealing, 'namespace'>;
}

/** Resolves with all links, ordered by channel, workspace and person. Leaves out links that cannot be decrypted. */
export async function readLinks({ rows, sealing }: RecordsDeps): Promise<readonly LinkRecord[]> {
  const stored = await rows.list(LINKS, 'link ');
  return stored.flatMap((row) => linkOf(row, sealing) ?? []);
}

/** Returns the link in a stored value; undefined if it cannot be decrypted. */
export function linkOf(
  { key, value, expires }: KeyedRow,
  sealing: RecordsDeps['sealing'],
): LinkRecord | undefined {
  const link = openSealed(value, key, { ...sealing, namespace: LINKS });
  const [channel, tenant, person] = wordsOf(key);
  const isWhole = channel !== undefined && tenant !== undefined && person !== undefined;
  return isWhole && isLink(link) ? { ...link, channel, tenant, person, until: expires } : undefined;
}

/**
 * Stores the owner of each value that belongs to a link of the channel. Versions before the column `owner` stored none,
 * and the key of a holder names no person.
 */
export async function nameOwners(
  { channel }: ForgetTarget,
  stored: Keyed,
  deps: RecordsDeps & { readonly clock: Pick<Clock, 'now'> },
): Promise<void> {
  for (const link of await readLinks(deps)) {
    if (link.channel !== channel) continue;
    const { tenant, person, account, until } = link;
    const same = (holder: unknown) => (holder === person ? holder : undefined);
    await stored.change(holderKey(link, account), same, until - deps.clock.now(), {
      channel,
      tenant,
      person,
    });
  }
}

/** Returns the channel, the workspace and the person in a key. */
function wordsOf(key: string): readonly (string | undefined)[] {
  try {
    const words: unknown = JSON.parse(key.slice(key.indexOf('[')));
    return Array.isArray(words) ? words.map(String) : [];
  } catch {
    return [];
  }
}
