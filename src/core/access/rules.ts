/**
 * Rules as data: who may do what, and where. The first rule that matches decides; if none matches, the answer is no.
 */

import { foldedEmail, type Person, type ThreadRef } from '../message.ts';

/** The actions that a rule can allow or deny. Rules files contain these names, so they must not change. */
export const ruleActions = [
  'ask',
  'save-files',
  'search',
  'share',
  'correct',
  'make-rooms',
  'administer',
  'operate',
] as const;
export type RuleAction = (typeof ruleActions)[number];

/** Actions that concern one agent. Only rules for these actions may name agents. */
export const agentActions: readonly RuleAction[] = ['ask', 'share', 'correct'];

export const standings: readonly Person['standing'][] = ['member', 'guest', 'external', 'bot', 'unproven'];
export const kinds: readonly ThreadRef['kind'][] = ['direct', 'group', 'room'];

/** Conditions of a rule or a quota. An absent list matches everything. */
export interface Conditions {
  /**
   * The people, each as a key: `everyone`, a standing, `group:NAME`, `person:CHANNEL/ID`, `person:CHANNEL/TENANT/ID`,
   * or an e-mail address in lower case.
   */
  readonly who: readonly string[];
  readonly agents?: readonly string[];
  readonly channels?: readonly string[];
  readonly tenants?: readonly string[];
  readonly rooms?: readonly string[];
  readonly kinds?: readonly ThreadRef['kind'][];
}

export interface Rule extends Conditions {
  readonly effect: 'allow' | 'deny';
  readonly actions: readonly RuleAction[];
  /** Place of the rule in its file, such as `rules.yaml:12`. */
  readonly place: string;
}

/** Maximum number of questions in a period, for each person, room or agent. */
export interface Quota extends Conditions {
  /**
   * Identifies the quota in the stored counts. Depends only on the quota's people and places, so the counts continue if
   * the limit changes.
   */
  readonly id: string;
  readonly per: 'person' | 'room' | 'agent';
  readonly questions: number;
  readonly every: 'minute' | 'hour' | 'day';
  readonly place: string;
}

export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly quotas: readonly Quota[];
  /**
   * Members of each group, as keys: people, e-mail addresses, or `claim:NAME` for a group that a channel's sign-in
   * reports.
   */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

/** The properties of a person that rules check. */
export type Subject = Pick<Person, 'id' | 'email' | 'standing' | 'groups'>;

/**
 * Where a person acts. Without `agent`, only rules for all agents match. The other properties are absent outside rooms.
 */
export interface Place extends Partial<Pick<ThreadRef, 'channel' | 'tenant' | 'room' | 'kind'>> {
  readonly agent?: string | undefined;
}

/**
 * Returns the key of a person. Escapes slashes, so that an id with a slash cannot be mistaken for a tenant and an id.
 */
export function personKey(channel: string, ...idOrTenantAndId: readonly string[]): string {
  return `person:${[channel, ...idOrTenantAndId].map(escaped).join('/')}`;
}

const escaped = (part: string): string => part.replaceAll('%', '%25').replaceAll('/', '%2F');

/** Returns the key of a group that a sign-in reports. */
export const claimKey = (group: string): string => `claim:${group.normalize('NFC')}`;

/**
 * Keys of a person. A proven key can match any rule. A claimed key is the e-mail address of an external person or a
 * bot, which another organization can set to any address. A claimed key therefore matches rules that deny, but never
 * gives a right.
 */
export interface PersonKeys {
  readonly proven: Iterable<string>;
  readonly claimed: Iterable<string>;
}

/** True if the organization's own workspace vouches for the e-mail addresses of people with this standing. */
export const vouched = (standing: Person['standing']): boolean =>
  standing === 'member' || standing === 'guest';

/** Returns the keys of the person alone, without their groups. */
export function ownKeys(
  { id, email, standing }: Subject,
  { channel, tenant }: Place,
): { readonly proven: readonly string[]; readonly claimed: readonly string[] } {
  const address = email === undefined ? [] : [foldedEmail(email)];
  const ids = [
    ...(channel === undefined ? [] : [personKey(channel, id)]),
    ...(channel === undefined || tenant === undefined ? [] : [personKey(channel, tenant, id)]),
  ];
  const all = ['everyone', standing];
  if (standing === 'unproven') return { proven: all, claimed: [...address, ...ids] };
  return vouched(standing)
    ? { proven: [...all, ...address, ...ids], claimed: [] }
    : { proven: [...all, ...ids], claimed: address };
}
