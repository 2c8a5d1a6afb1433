/**
 * Calls of the Bot Connector that the bridge uses (Bot Connector REST reference; Microsoft's pages on conversations
 * with bots and on members of conversations). Each call makes one request, or two if the first token was refused.
 */

import { type Plain, plain, plains, type SidePermit, text } from '../../../src/kit/ladder.ts';
import { type Clock, defined } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { Caller, CallRequest } from './caller.ts';
import { contentOf, MESSAGE_GONE, type Refusal, refusalIn } from './errors.ts';
import type { Answered, HttpAnswer } from './http.ts';
import { withLineBreaks } from './line-breaks.ts';

/**
 * A conversation. If `targeted` is set, only the recipient sees the message (Microsoft's page on targeted messages).
 */
type Where = Pick<ReplyPlace, 'serviceUrl' | 'conversation' | 'targeted'>;

/** A message in a conversation. */
type Written = Where & { readonly id: string };

export type Sent =
  | { readonly kind: 'done'; readonly id?: string }
  | ({ readonly kind: 'refused' } & Refusal)
  /** The call certainly did not reach Teams. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** It is uncertain whether Teams carried out the call. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** True if it is certain that Teams did not carry out the call. */
export function certainlyNotDone(sent: Sent): boolean {
  return sent.kind === 'unsent' || (sent.kind === 'refused' && sent.meaning !== 'unknown');
}

export type Got<Value> = { readonly kind: 'got'; readonly value: Value } | Exclude<Sent, { kind: 'done' }>;

/** A member of a conversation. */
export type Member = NonNullable<ReturnType<typeof memberOf>>;

export type Connector = ReturnType<typeof createConnector>;

type ChatPlace = Pick<ReplyPlace, 'serviceUrl' | 'bot' | 'tenant'>;

/** Members per page: the maximum in Microsoft's documentation of paged members. */
const MEMBERS = 500;
/** Maximum time to read a file, in milliseconds. */
const FILE_MS = 60_000;

/**
 * @param permit waits until the rate limits permit a call, or a look-up of people in the conversation; not used for calls
 * about messages, because their caller already has a permit
 */
export function createConnector(
  caller: Caller,
  clock: Clock,
  permit: (signal: AbortSignal, conversation?: string) => Promise<Pick<SidePermit, 'answered'>>,
) {
  const call = async (request: CallRequest, signal: AbortSignal): Promise<Got<Answered>> =>
    gotOf(await caller(request, signal), clock.now());
  const ask = async (request: CallRequest, signal: AbortSignal, about?: string): Promise<Got<Answered>> => {
    const permitted = await permit(signal, about);
    return call(request, signal).finally(() => permitted.answered());
  };
  const read = async <Value>(
    url: string,
    of: (content: Plain) => Value | undefined,
    signal: AbortSignal,
    about?: string,
  ): Promise<Got<Value>> =>
    mapGot(await ask({ method: 'GET', url }, signal, about), (answer) => of(contentOf(answer)));
  const done = async (request: CallRequest, signal: AbortSignal): Promise<Sent> =>
    sentOf(await call(request, signal));
  return {
    send: (where: Where, activity: object, signal: AbortSignal) =>
      done({ method: 'POST', url: `${activities(where)}${queryOf(where)}`, content: body(activity) }, signal),
    update: (where: Written, activity: object, signal: AbortSignal) =>
      done({ method: 'PUT', url: activityUrl(where), content: body(activity) }, signal),
    /** Deletes a message. The result is `done` even if the message did not exist. */
    async delete(where: Written, signal: AbortSignal): Promise<Sent> {
      const sent = await done({ method: 'DELETE', url: activityUrl(where) }, signal);
      // Teams also answers 404 to calls that it accepts a moment later.
      return sent.kind === 'refused' && sent.code === MESSAGE_GONE ? { kind: 'done' } : sent;
    },
    /** Opens the bot's one-to-one chat with a person. For the same person, Teams returns the same id each time. */
    async openChat({ serviceUrl, bot, tenant }: ChatPlace, person: string, signal: AbortSignal) {
      const content = {
        bot: { id: bot },
        members: [{ id: person }],
        isGroup: false,
        tenantId: tenant,
        channelData: { tenant: { id: tenant } },
      };
      const request = { method: 'POST', url: `${base(serviceUrl)}/v3/conversations`, content } as const;
      return mapGot(await ask(request, signal), (answer) => text(contentOf(answer).id));
    },
    member: (where: Where, id: string, signal: AbortSignal) =>
      read(`${conversation(where)}/members/${encodeURIComponent(id)}`, memberOf, signal, where.conversation),
    /** Reads one page of a conversation's members. `from` is the previous page's `next`. */
    members(where: Where, from: string | undefined, signal: AbortSignal) {
      const query = new URLSearchParams({
        pageSize: String(MEMBERS),
        ...(from !== undefined && { continuationToken: from }),
      });
      return read(`${conversation(where)}/pagedmembers?${query}`, membersOf, signal, where.conversation);
    },
    /** Reads the id of a team's group in Microsoft Entra. `team` is the team's id in Teams. */
    teamGroup: (serviceUrl: string, team: string, signal: AbortSignal) =>
      read(teamUrl(serviceUrl, team), ({ aadGroupId }) => text(aadGroupId), signal),
    /** Reads a team's channels; the General channel has no name. */
    channels: (serviceUrl: string, team: string, signal: AbortSignal) =>
      read(`${teamUrl(serviceUrl, team)}/conversations`, channelsOf, signal),
    /** Reads an attached file. The result is `unknown` if it has more than `limit` bytes. */
    async file(url: string, limit: number, signal: AbortSignal) {
      const got = await ask({ method: 'GET', url, limit, withinMs: FILE_MS }, signal);
      return mapGot(got, ({ body }) => new Uint8Array(body));
    },
  };
}

const body = (activity: object): object => withLineBreaks(plain(activity));

export function gotOf(answer: HttpAnswer, now: number): Got<Answered> {
  if (answer.kind !== 'answered') return answer;
  const refusal = refusalIn(answer, now);
  return refusal === undefined ? { kind: 'got', value: answer } : { kind: 'refused', ...refusal };
}

function sentOf(got: Got<Answered>): Sent {
  if (got.kind !== 'got') return got;
  return { kind: 'done', ...defined({ id: text(contentOf(got.value).id) }) };
}

/** Applies `read` to the value; the result is `unknown` if `read` returns undefined. */
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

function memberOf(member: Plain) {
  /** The id that Teams gives the person for this bot: `29:…`. */
  const id = text(member.id);
  if (id === undefined) return undefined;
  const known = defined({
    name: text(member.name),
    /** Id in Microsoft Entra. */
    directoryId: text(member.aadObjectId) ?? text(member.objectId),
    email: text(member.email),
    tenant: text(member.tenantId),
    /** Sign-in name; a guest's contains `#EXT#`. */
    principal: text(member.userPrincipalName),
    /** `user`, `guest` or `anonymous`. */
    role: text(member.userRole),
  });
  return { id, ...known };
}

const membersOf = ({ members, continuationToken }: Plain) => ({
  members: plains(members).flatMap((each) => memberOf(each) ?? []),
  /** Token to request the next page; absent on the last page. */
  ...defined({ next: text(continuationToken) }),
});

const channelsOf = ({ conversations }: Plain) =>
  plains(conversations).flatMap((each) => {
    const id = text(each.id);
    return id === undefined ? [] : [{ id, ...defined({ name: text(each.name) }) }];
  });
