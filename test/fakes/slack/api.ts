/** The Web API, `/api/<method>`: checks the token, scopes, rate and arguments, then performs the method. */

import type { IncomingMessage } from 'node:http';
import { readForm, readJson, text } from './args.ts';
import type { Call, MethodFacts } from './call.ts';
import type { CallRecord } from './log.ts';
import { methods } from './methods/index.ts';
import type { Server } from './parts.ts';
import { Refusal, refuse } from './refusal.ts';
import { checkArguments } from './schema.ts';
import type { Json, Token, Workspace } from './shapes.ts';

export interface ApiRequest {
  readonly method: string;
  readonly args: Json;
  readonly token: string | undefined;
  /** The error found before the method was looked up, such as a body that cannot be parsed. */
  readonly broken?: Refusal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;
}

export function readRequest(request: IncomingMessage, url: URL, body: string): ApiRequest {
  const method = url.pathname.slice('/api/'.length);
  const bearer = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  try {
    const args = argumentsOf(request, url, body, methods[method]);
    return { method, args: without(args, 'token'), token: bearer ?? text(args, 'token') };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { method, args: {}, token: bearer, broken: thrown };
  }
}

function argumentsOf(request: IncomingMessage, url: URL, body: string, facts: MethodFacts | undefined): Json {
  const query = readForm(url.search);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/json'))
    return facts?.formOnly === true ? query : { ...query, ...readJson(body) };
  if (type.startsWith('application/x-www-form-urlencoded') || body === '')
    return { ...query, ...readForm(body) };
  return refuse('invalid_post_type');
}

function without(args: Json, name: string): Json {
  const { [name]: _, ...rest } = args;
  return rest;
}

/** Takes a slot of the rate limit immediately, so that the limit counts the call from its arrival. */
export function admit(server: Server, request: ApiRequest): { call: Call; wait: number } {
  const facts = methods[request.method];
  if (facts === undefined) refuse('unknown_method', { req_method: request.method });
  if (request.broken !== undefined) throw request.broken;
  const call = callerOf(server, request, facts);
  const channel = text(request.args, 'channel');
  return { call, wait: server.limiter.take(call.workspace.id, request.method, channel) };
}

function callerOf(server: Server, { method, args, token: value }: ApiRequest, facts: MethodFacts): Call {
  const { world, url } = server;
  if (facts.token === 'none') {
    const anyone: Token = { value: '', kind: 'app', scopes: new Set(), state: 'live' };
    return { method, args, world, url, token: anyone, workspace: nowhere(server) };
  }
  if (value === undefined) refuse('not_authed');
  const token = world.tokens.get(value) ?? refuse('invalid_auth');
  if (token.state === 'revoked') refuse('token_revoked');
  if (token.state === 'inactive') refuse('account_inactive');
  if (token.expiresAt !== undefined && world.clock.now() >= token.expiresAt) refuse('token_expired');
  if (token.kind !== (facts.token ?? 'bot')) refuse('not_allowed_token_type');
  const workspace = token.kind === 'app' ? nowhere(server) : workspaceOf(server, token, args);
  return { method, args, world, url, token, workspace };
}

/** Returns the first workspace, under which the fake counts and logs calls without a workspace. */
function nowhere({ world }: Server): Workspace {
  const [first] = world.workspaces.values();
  return first ?? refuse('team_not_found');
}

/**
 * Returns the workspace of a call. With an organization's token, it is the one named by `team_id`, or else the
 * channel's or the person's.
 */
function workspaceOf({ world }: Server, token: Token, args: Json): Workspace {
  if (token.team !== undefined) return world.workspaces.get(token.team) ?? refuse('account_inactive');
  const inside = [...world.workspaces.values()].filter(({ enterprise }) => enterprise === token.enterprise);
  const team = text(args, 'team_id');
  if (team !== undefined) return inside.find(({ id }) => id === team) ?? refuse('team_access_not_granted');
  const channel = text(args, 'channel') ?? text(args, 'channel_id') ?? '';
  const user = text(args, 'user') ?? text(args, 'user_id') ?? '';
  return (
    inside.find(({ channels }) => channels.has(channel)) ??
    inside.find(({ people }) => people.has(user)) ??
    inside[0] ??
    refuse('team_access_not_granted')
  );
}

export function perform(server: Server, call: Call): Json {
  const facts = methods[call.method];
  if (facts === undefined) return refuse('unknown_method');
  checkScope(call, facts);
  checkArguments(server.log, call);
  return facts.run(call);
}

function checkScope(call: Call, { scopes = [] }: MethodFacts): void {
  const needed = typeof scopes === 'function' ? scopes(call) : scopes;
  if (needed.length === 0 || needed.some((scope) => call.token.scopes.has(scope))) return;
  refuse('missing_scope', { needed: needed.join(','), provided: [...call.token.scopes].join(',') });
}

export function answerOf(run: () => Json): Json {
  try {
    return { ok: true, ...run() };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { ok: false, error: thrown.code, ...thrown.more };
    throw thrown;
  }
}

export const headersOf = (call: Call | undefined): Readonly<Record<string, string>> =>
  call === undefined ? {} : { 'x-oauth-scopes': [...call.token.scopes].join(',') };

export function tooMany(wait: number | string, record: CallRecord): ApiAnswer {
  record.retryAfter = wait;
  return { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': String(wait) } };
}
