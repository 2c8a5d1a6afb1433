/**
 * The Bot Connector's calls that the bridge makes (Bot Connector REST reference; Microsoft's pages on conversations with
 * bots and on their members). Each is one request, at most one more when a token was refused.
 */

import { defined, type Plain, plains, text } from '../../../src/kit/json.ts';
import type { Clock, SidePermit } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { Caller, CallRequest } from './caller.ts';
import { contentOf, type Refusal, refusalIn } from './errors.ts';
import type { Answered, HttpAnswer } from './http.ts';

/** A conversation. `targeted`: only the activity's recipient sees it (Microsoft's page on targeted messages). */
type Where = Pick<ReplyPlace, 'serviceUrl' | 'conversation' | 'targeted'>;

/** A message in a conversation. */
type Written = Where & { readonly id: string };

export type Sent =
  | { readonly kind: 'done'; readonly id?: string }
  | ({ readonly kind: 'refused' } & Refusal)
  /** It surely never reached Teams. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** It may or may not have happened. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Whether it surely did not happen: neither done, nor open. */
export function neverCame(sent: Sent): boolean {
  return sent.kind === 'unsent' || (sent.kind === 'refused' && sent.meaning !== 'unknown');
}

export type Got<Value> = { readonly kind: 'got'; readonly value: Value } | Exclude<Sent, { kind: 'done' }>;

/** A person of a conversation, as Teams tells of them. */
export interface Member {
  /** Of this bot's own numbering: `29:…`. */
  readonly id: string;
  readonly name?: string;
  /** In Microsoft Entra. */
  readonly directoryId?: string;
  readonly email?: string;
  readonly tenant?: string;
  /** The name to sign in with, which tells guests. */
  readonly principal?: string;
  /** `user`, `guest` or `anonymous`. */
  readonly role?: string;
}

interface Members {
  readonly members: readonly Member[];
  /** Continuation token; absent on the last page. */
  readonly next?: string;
}

interface Channel {
  readonly id: string;
  readonly name?: string;
}

export interface Connector {
  send(where: Where, activity: object, signal: AbortSignal): Promise<Sent>;
  update(where: Written, activity: object, signal: AbortSignal): Promise<Sent>;
  /** Also done where it is not there. */
  delete(where: Written, signal: AbortSignal): Promise<Sent>;
  /** The personal chat of the bot with someone; the same one each time. */
  openChat(place: ChatPlace, person: string, signal: AbortSignal): Promise<Sent>;
  member(where: Where, id: string, signal: AbortSignal): Promise<Got<Member>>;
  /** One page of a conversation's members; `from` is the previous page's continuation token. */
  members(where: Where, from: string | undefined, signal: AbortSignal): Promise<Got<Members>>;
  /** The id of a team's group in Microsoft Entra, by the team's id in Teams. */
  teamGroup(serviceUrl: string, team: string, signal: AbortSignal): Promise<Got<string>>;
  /** A team's channels; the General channel has no name of its own. */
  channels(serviceUrl: string, team: string, signal: AbortSignal): Promise<Got<readonly Channel[]>>;
  /** The bytes of what a person attached, at most `limit`; more are `unknown`. */
  file(url: string, limit: number, signal: AbortSignal): Promise<Got<Uint8Array>>;
}

type ChatPlace = Pick<ReplyPlace, 'serviceUrl' | 'bot' | 'tenant'>;

interface ConnectorDeps {
  readonly caller: Caller;
  readonly clock: Clock;
  /** For each call that is no message: those wait for theirs before. */
  permit(signal: AbortSignal): Promise<Pick<SidePermit, 'answered'>>;
}

/** Members per page: the maximum in Microsoft's documentation of paged members. */
const MEMBERS = 500;
const NOT_FOUND = 404;
/** Milliseconds in which a file must have come. */
const FILE_MS = 60_000;

export function createConnector({ caller, clock, permit }: ConnectorDeps): Connector {
  const call = async (request: CallRequest, signal: AbortSignal): Promise<Got<Answered>> =>
    gotOf(await caller.call(request, signal), clock.now());
  const ask = async (request: CallRequest, signal: AbortSignal): Promise<Got<Answered>> => {
    const permitted = await permit(signal);
    return call(request, signal).finally(() => permitted.answered());
  };
  const read = async <Value>(url: string, of: Reader<Value>, signal: AbortSignal): Promise<Got<Value>> =>
    mapGot(await ask({ method: 'GET', url }, signal), (answer) => of(contentOf(answer)));
  const done = async (request: CallRequest, signal: AbortSignal): Promise<Sent> =>
    sentOf(await call(request, signal));
  return {
    send: (where, activity, signal) =>
      done({ method: 'POST', url: `${activities(where)}${queryOf(where)}`, content: activity }, signal),
    update: (where, activity, signal) =>
      done({ method: 'PUT', url: activityUrl(where), content: activity }, signal),
    async delete(where, signal) {
      const sent = await done({ method: 'DELETE', url: activityUrl(where) }, signal);
      return sent.kind === 'refused' && sent.status === NOT_FOUND ? { kind: 'done' } : sent;
    },
    async openChat({ serviceUrl, bot, tenant }, person, signal) {
      const content = {
        ...{ bot: { id: bot }, members: [{ id: person }], isGroup: false },
        ...{ tenantId: tenant, channelData: { tenant: { id: tenant } } },
      };
      const request = { method: 'POST', url: `${base(serviceUrl)}/v3/conversations`, content } as const;
      return sentOf(await ask(request, signal));
    },
    member: (where, id, signal) =>
      read(`${conversation(where)}/members/${encodeURIComponent(id)}`, memberOf, signal),
    members(where, from, signal) {
      const query = new URLSearchParams({
        pageSize: String(MEMBERS),
        ...(from !== undefined && { continuationToken: from }),
      });
      return read(`${conversation(where)}/pagedmembers?${query}`, membersOf, signal);
    },
    teamGroup: (serviceUrl, team, signal) =>
      read(teamUrl(serviceUrl, team), ({ aadGroupId }) => text(aadGroupId), signal),
    channels: (serviceUrl, team, signal) =>
      read(`${teamUrl(serviceUrl, team)}/conversations`, channelsOf, signal),
    async file(url, limit, signal) {
      const got = await ask({ method: 'GET', url, limit, withinMs: FILE_MS }, signal);
      return mapGot(got, ({ body }) => new Uint8Array(body));
    },
  };
}

type Reader<Value> = (content: Plain) => Value | undefined;

export function gotOf(answer: HttpAnswer, now: number): Got<Answered> {
  if (answer.kind !== 'answered') return answer;
  const refusal = refusalIn(answer, now);
  return refusal === undefined ? { kind: 'got', value: answer } : { kind: 'refused', ...refusal };
}

function sentOf(got: Got<Answered>): Sent {
  if (got.kind !== 'got') return got;
  return { kind: 'done', ...defined({ id: text(contentOf(got.value).id) }) };
}

/** The value that `read` returns; `unknown` if it returns undefined. */
export function mapGot<From, To>(got: Got<From>, read: (value: From) => To | undefined): Got<To> {
  if (got.kind !== 'got') return got;
  const value = read(got.value);
  return value === undefined ? { kind: 'unknown', reason: 'unreadable' } : { kind: 'got', value };
}

const base = (serviceUrl: string): string => serviceUrl.replace(/\/+$/, '');

const conversation = ({ serviceUrl, conversation: id }: Where): string =>
  `${base(serviceUrl)}/v3/conversations/${encodeURIComponent(id)}`;

const teamUrl = (serviceUrl: string, team: string): string =>
  `${base(serviceUrl)}/v3/teams/${encodeURIComponent(team)}`;

const activities = (where: Where): string => `${conversation(where)}/activities`;

const activityUrl = (where: Written): string =>
  `${activities(where)}/${encodeURIComponent(where.id)}${queryOf(where)}`;

const queryOf = ({ targeted }: Where): string => (targeted ? '?isTargetedActivity=true' : '');

function memberOf(member: Plain): Member | undefined {
  const id = text(member.id);
  if (id === undefined) return undefined;
  const known = defined({
    name: text(member.name),
    directoryId: text(member.aadObjectId) ?? text(member.objectId),
    email: text(member.email),
    tenant: text(member.tenantId),
    principal: text(member.userPrincipalName),
    role: text(member.userRole),
  });
  return { id, ...known };
}

function membersOf({ members, continuationToken }: Plain): Members {
  const all = plains(members).flatMap((each) => memberOf(each) ?? []);
  return { members: all, ...defined({ next: text(continuationToken) }) };
}

function channelsOf({ conversations }: Plain): readonly Channel[] {
  return plains(conversations).flatMap((each) => {
    const id = text(each.id);
    return id === undefined ? [] : [{ id, ...defined({ name: text(each.name) }) }];
  });
}
