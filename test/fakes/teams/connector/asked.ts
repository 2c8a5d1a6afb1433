/**
 * Determines which call of the Bot Connector a request makes:
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
 */

import type { Method } from '../log.ts';
import { type Json, list, text } from '../read.ts';
import { readAddress } from '../world.ts';

export interface Asked {
  readonly method: Method;
  readonly tenant: string;
  /** The chat or channel, without `;messageid=`. */
  readonly conversation?: string;
  readonly root?: string;
  /** Id of an activity, a member, a team or an attachment. */
  readonly id?: string;
  /** Name of an attachment's view, such as `original`. */
  readonly view?: string;
  readonly query: URLSearchParams;
  readonly body: Json;
}

/** Each call with its HTTP method and its path after the serviceUrl; `*` matches any segment. */
const calls: readonly (readonly [verb: string, pattern: string, method: Method])[] = [
  ['POST', 'v3/conversations', 'create'],
  ['POST', 'v3/conversations/*/activities', 'send'],
  ['POST', 'v3/conversations/*/activities/*', 'send'],
  ['PUT', 'v3/conversations/*/activities/*', 'update'],
  ['DELETE', 'v3/conversations/*/activities/*', 'delete'],
  ['GET', 'v3/conversations/*/members', 'members'],
  ['GET', 'v3/conversations/*/pagedmembers', 'members'],
  ['GET', 'v3/conversations/*/members/*', 'member'],
  ['GET', 'v3/teams/*', 'team'],
  ['GET', 'v3/teams/*/conversations', 'channels'],
  ['GET', 'v3/attachments/*', 'view'],
  ['GET', 'v3/attachments/*/views/*', 'view'],
];

/** Reads `/{region}/{tenant}/v3/…`; ids may be percent-encoded. */
export function readAsked(verb: string, url: URL, body: Json): Asked {
  const [, , tenant = '', ...segments] = url.pathname.split('/').map(decoded);
  const found = calls.find(([its, pattern]) => its === verb && fits(pattern.split('/'), segments));
  const [, , first = '', , second] = segments;
  const rest = { tenant, query: url.searchParams, body };
  if (found === undefined) return { ...rest, method: 'unknown' };
  const [, pattern, method] = found;
  if (pattern.startsWith('v3/conversations/*'))
    return {
      ...rest,
      ...placeOf(first),
      method: method === 'send' ? kindOfSend(body) : method,
      ...(second === undefined ? {} : { id: second }),
    };
  const view = segments[4];
  const named = first === '' ? {} : { id: first };
  return { ...rest, method, ...named, ...(view === undefined ? {} : { view }) };
}

const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((each, at) => (each === '*' ? segments[at] !== '' : each === segments[at]));

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function placeOf(id: string): { conversation: string; root?: string } {
  const { room, root } = readAddress(id);
  return root === undefined ? { conversation: room } : { conversation: room, root };
}

export const streamInfo = (activity: Json): Json | undefined =>
  list(activity, 'entities').find(({ type }) => type === 'streaminfo');

function kindOfSend(activity: Json): Method {
  if (streamInfo(activity) !== undefined) return text(activity, 'type') === 'message' ? 'final' : 'stream';
  return text(activity, 'type') === 'typing' ? 'typing' : 'send';
}
