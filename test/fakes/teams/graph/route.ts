/**
 * Microsoft Graph's calls by which an app with resource-specific consent reads messages:
 * https://learn.microsoft.com/graph/api/channel-list-messages, …/chatmessage-list-replies, …/chatmessage-get, …/chat-list-messages
 */

import type { Route } from '../../listen.ts';
import { checkToken } from '../connector/admit.ts';
import { consentsToAll } from '../manifest.ts';
import type { Server } from '../parts.ts';
import type { Json } from '../read.ts';
import { Refusal, refuse } from '../refusal.ts';
import type { Conversation, Message, Tenant } from '../shapes.ts';
import { messageJson } from './message.ts';

const GRAPH = 'https://graph.microsoft.com';
/** Default and maximum number of messages per page (`$top`). */
const USUAL_PAGE = 20;
const LARGEST_PAGE = 50;

export const graphRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const { log, world, faults, latencyMs } = server;
    const asked = { path: url.pathname, ...Object.fromEntries(url.searchParams) };
    const record = log.begin({
      at: world.clock.now(),
      method: 'graph',
      asked,
      bearer: request.headers.authorization !== undefined,
      size: 0,
    });
    const fault = faults.hit({ method: 'graph' });
    if (fault !== undefined) record.fault = fault.kind;
    const late = latencyMs + (fault?.kind === 'slow' ? (fault.ms ?? 0) : 0);
    if (late > 0) await world.clock.wait(late);
    if (fault?.kind === 'hang' || fault?.kind === 'timeout') return;
    if (fault?.kind === 'reset' || fault?.kind === 'refuse') {
      response.socket?.resetAndDestroy();
      return;
    }
    const { status, body } = answerOf(() => {
      if (fault?.kind === 'rate') throw new Refusal(429, 'TooManyRequests', 'Too many requests');
      if (fault?.kind === 'status')
        refuse(fault.status ?? 500, 'planted', `A planted ${fault.status ?? 500}.`);
      checkToken(server, request, GRAPH);
      return read(server, url);
    });
    record.status = status;
    record.answer = body;
    record.doneAt = world.clock.now();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

function answerOf(make: () => Json): { status: number; body: Json } {
  try {
    return { status: 200, body: make() };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { status: thrown.status, body: { error: { code: thrown.code, message: thrown.message } } };
  }
}

function read(server: Server, url: URL): Json {
  const segments = url.pathname.split('/').slice(2).map(decodeURIComponent);
  const place = placeOf(server, segments);
  const { tenant, conversation, rest } = place;
  const [list, id, replies] = rest;
  if (list !== 'messages') return refuse(404, 'NotFound', 'Resource not found.');
  const json = (message: Message) => messageJson(tenant, conversation, message, server.world.app);
  if (id === undefined) return page(server, url, roots(conversation).map(json));
  const message = conversation.messages.find((each) => each.id === id && each.onlyFor === undefined);
  if (message === undefined) return refuse(404, 'NotFound', 'Message not found.');
  if (replies === undefined) return json(message);
  const answers = conversation.messages.filter((each) => each.root === id && each.id !== id);
  return page(server, url, answers.filter(isForAll).map(json));
}

/** Returns the first message of each thread of a channel, without targeted messages. */
const roots = ({ messages, kind }: Conversation): readonly Message[] =>
  messages.filter((each) => isForAll(each) && (kind !== 'channel' || each.root === each.id));

const isForAll = ({ onlyFor }: Message): boolean => onlyFor === undefined;

interface Place {
  readonly tenant: Tenant;
  readonly conversation: Conversation;
  readonly rest: readonly string[];
}

/**
 * Finds a chat or channel. Does not find a personal chat, because personal chats have other ids in Graph, which apps
 * do not get.
 */
function placeOf({ world, home }: Server, segments: readonly string[]): Place {
  const tenant = world.tenants.get(home());
  const [kind, id = '', channels, channelId = ''] = segments;
  const inTeam = kind === 'teams' && channels === 'channels';
  const team = [...(tenant?.teams.values() ?? [])].find(({ aadGroupId }) => aadGroupId === id);
  const conversation = tenant?.conversations.get(inTeam ? channelId : id);
  const fits = inTeam
    ? conversation !== undefined && conversation.team === team?.id
    : kind === 'chats' && conversation?.kind === 'groupChat';
  if (tenant === undefined || conversation === undefined || !fits)
    return refuse(404, 'NotFound', 'Resource not found.');
  if (!consentsToAll(world.manifest, conversation))
    refuse(403, 'Forbidden', 'Missing role permissions on the request.');
  return { tenant, conversation, rest: segments.slice(inTeam ? 4 : 2) };
}

/** Returns one page of messages, newest first. */
function page(server: Server, url: URL, all: readonly Json[]): Json {
  const size = Math.min(LARGEST_PAGE, Number(url.searchParams.get('$top') ?? USUAL_PAGE));
  const from = Number(url.searchParams.get('$skiptoken') ?? 0);
  const value = all.toReversed().slice(from, from + size);
  if (from + size >= all.length) return { value };
  const next = new URL(url.pathname + url.search, server.graphUrl);
  next.searchParams.set('$skiptoken', String(from + size));
  return { value, '@odata.nextLink': next.href };
}
