/**
 * The stored form of links between people and platform accounts: `link` names the account of a person, and `holder`
 * names the person who has an account in a workspace. `asked` leads from a person to their one-time code.
 */

import { createHash } from 'node:crypto';
import type { ThreadRef } from '../core/message.ts';
import type { ForgetTarget } from '../core/stores/forgetting.ts';
import { type KeyedRows, openSealed, type Sealing } from '../store/index.ts';

export const LINKS = 'account links';

export interface Link {
  readonly account: string;
  /** Time of the confirmation, in milliseconds since the epoch; absent in links of earlier versions. */
  readonly since?: number;
  /** The channel in which the person confirmed the link. */
  readonly by?: string;
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
  return stored.flatMap(({ key, value, expires }) => {
    const link = openSealed(value, key, { ...sealing, namespace: LINKS });
    const [channel, tenant, person] = wordsOf(key);
    const isWhole = channel !== undefined && tenant !== undefined && person !== undefined;
    return isWhole && isLink(link) ? [{ ...link, channel, tenant, person, until: expires }] : [];
  });
}

/**
 * Deletes the links of a forgotten person or workspace, and their codes. Resolves with the number of links. A crash may
 * end the deletion half-way; the same call then deletes what is left.
 */
export async function forgetLinks(target: ForgetTarget, deps: RecordsDeps): Promise<number> {
  const { rows, sealing } = deps;
  const concerned = (scope: Scope, person: string): boolean =>
    scope.channel === target.channel &&
    (target.tenant === undefined || scope.tenant === target.tenant) &&
    ((target.kind === 'tenant' && target.room === undefined) ||
      (target.kind === 'person' && target.person === person));
  const links = (await readLinks(deps)).filter((link) => concerned(link, link.person));
  const asked = (await rows.list(LINKS, 'asked ')).filter(({ key }) => {
    const [channel = '', tenant = '', person = ''] = wordsOf(key);
    return concerned({ channel, tenant }, person);
  });
  const codes = asked.map(
    ({ key, value }) => `code ${String(openSealed(value, key, { ...sealing, namespace: LINKS }))}`,
  );
  const keys = [
    ...links.flatMap((link) => [holderKey(link, link.account), linkKey(link, link.person)]),
    ...[...codes, ...asked.map(({ key }) => key)],
  ];
  if (keys.length > 0) await rows.remove(LINKS, keys, []);
  return links.length;
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
