/**
 * Implements `parley accounts`, which lists people with their platform accounts and ends the links that they made. Both
 * commands work on the store directly, also while the bridge runs.
 */

import { holderKey, LINKS, type LinkRecord, linkKey, readLinks } from '../bridge/link-records.ts';
import { listAccounts } from '../config/accounts-file.ts';
import type { Config } from '../config/schema.ts';
import type { Mapping } from '../core/agents/access.ts';
import type { Act } from '../core/stores/audit.ts';
import { usage } from '../errors.ts';
import type { KeyedRows } from '../store/index.ts';
import { personOf } from './audit.ts';
import { type CommandDeps, loadSettings, type Settings } from './channels.ts';
import { withRows } from './keyed-rows.ts';
import { plain, printResult } from './print.ts';

interface AccountsOptions {
  readonly json?: true;
  readonly config?: string;
}

/** One way in which a person has an account. `--json` prints these property names, so they must not change. */
interface Entry extends Mapping {
  readonly way: 'table' | 'file' | 'link';
  /** The name that the channel showed when the person linked themselves. */
  readonly name?: string | undefined;
  /** Where the entry is written, such as `accounts.csv:3`. */
  readonly place?: string;
  /** The channel in which the link was confirmed. */
  readonly confirmedIn?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string;
  /** False for a link whose account is in neither the table nor the file, or while people may not link themselves. */
  readonly inForce: boolean;
}

/** Prints the entries of the table and of the file, and the links, in the order in which they apply. */
export async function listPeople(
  { json, config: file }: AccountsOptions,
  deps: CommandDeps,
): Promise<number> {
  const settings = await loadSettings(deps, file);
  const configured = configuredEntries(settings);
  const known = new Set(configured.map(({ account }) => account));
  const mayLink = settings.config.identity.linkDays !== undefined;
  const links = await withLinks(settings.config, async ({ links: stored }) => stored);
  const entries = [...configured, ...links.map((link) => entryOf(link, mayLink && known.has(link.account)))];
  printResult(json, entries, linesOf(entries));
  return 0;
}

/** Ends the person's links and adds an act to the audit for each. Resolves with 1 if the person has no link. */
export async function unlinkPerson(
  { json, config: file }: AccountsOptions,
  deps: CommandDeps,
  [named]: readonly [string],
): Promise<number> {
  const person = personOf(named);
  if (person.channel === undefined) {
    throw usage(`"${named}" names no channel. Write CHANNEL/ID or CHANNEL/WORKSPACE/ID.`);
  }
  const { config } = await loadSettings(deps, file);
  const ended = await withLinks(config, async ({ rows, links }) => {
    const theirs = links.filter(
      ({ channel, tenant, person: id }) =>
        id === person.id && channel === person.channel && tenant === (person.tenant ?? tenant),
    );
    const keys = theirs.flatMap((link) => [linkKey(link, link.person), holderKey(link, link.account)]);
    if (keys.length > 0) await rows?.remove(LINKS, keys, theirs.map(actOf));
    return theirs;
  });
  const lines = ended.map((link) => `Unlinked ${whoOf(link)} from the account ${link.account}.`);
  printResult(
    json,
    ended.map((link) => entryOf(link, false)),
    lines,
  );
  if (ended.length > 0) return 0;
  console.error(
    plain(`${named} has no link. To change an entry of identity.table or identity.file, edit it there.`),
  );
  return 1;
}

const actOf = ({ channel, tenant, person, account }: LinkRecord): Act => ({
  action: 'link',
  outcome: 'done',
  channel,
  tenant,
  person,
  account,
  detail: 'unlink by operator',
});

function configuredEntries({ config, accountsFile, channels }: Settings): readonly Entry[] {
  const { table, file } = config.identity;
  const names = channels.map(({ channel }) => channel.name);
  const fromFile = file === undefined || accountsFile === undefined ? [] : listAccounts(file, names);
  return [
    ...table.map((entry) => ({ ...entry, way: 'table' as const, inForce: true })),
    ...fromFile.map((entry) => ({ ...entry, way: 'file' as const, inForce: true })),
  ];
}

function entryOf({ by, since, until, ...link }: LinkRecord, inForce: boolean): Entry {
  const at = (time: number) => new Date(time).toISOString();
  return {
    ...link,
    way: 'link',
    confirmedIn: by,
    since: since === undefined ? undefined : at(since),
    until: at(until),
    inForce,
  };
}

interface Linked {
  /** Absent if there is no store yet. */
  readonly rows?: KeyedRows;
  readonly links: readonly LinkRecord[];
}

const withLinks = <T>(config: Config, work: (linked: Linked) => Promise<T>): Promise<T> =>
  withRows(config, async (open) =>
    work(open === undefined ? { links: [] } : { rows: open.rows, links: await readLinks(open) }),
  );

type Who = Pick<Entry, 'channel' | 'tenant' | 'person' | 'email' | 'name'>;

const whoOf = ({ channel, tenant, person, email, name }: Who): string => {
  const id = [channel, tenant, person ?? email].filter((word) => word !== undefined).join('/');
  return name === undefined ? id : `${name} (${id})`;
};

function linesOf(entries: readonly Entry[]): readonly string[] {
  if (entries.length === 0) return ['No person has a platform account.'];
  return entries.map((entry) => `${entry.account}: ${whoOf(entry)}, ${wayOf(entry)}`);
}

function wayOf({ way, place, since, until, confirmedIn, inForce }: Entry): string {
  if (way === 'table') return 'from identity.table';
  if (way === 'file') return `from ${place}`;
  const day = (time: string) => time.slice(0, 10);
  const words = [
    confirmedIn === undefined ? 'linked' : `linked in ${confirmedIn}`,
    ...(since === undefined ? [] : [`since ${day(since)}`]),
    ...(until === undefined ? [] : [`until ${day(until)}`]),
    ...(inForce ? [] : ['(not in force)']),
  ];
  return words.join(' ');
}
