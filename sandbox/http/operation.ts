import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Fields } from './json.ts';
import { type Face, liteReply, openReply, type Reply } from './reply.ts';
import { declinedBy, invalidBy, parse } from './schema.ts';

/** A request whose caller is allowed and whose body fits the operation's schema. */
interface OperationRequest<Caller, Body> {
  readonly call: Call;
  readonly caller: Caller;
  readonly body: Body;
}

/** Schema of an operation whose body is not read. */
export const noBody = z.undefined();

/**
 * Returns a function that creates operations of one interface for one kind of caller. `admit` refuses all other callers
 * before the body is read. `id` is the operation's name in faults and in the log of requests. An example of `route` is
 * `POST /v1/openapi/user`. A schema that depends on the current options is passed as a function.
 */
export const operations =
  <Caller>(face: Face, admit: (call: Call) => Caller) =>
  <Schema extends z.ZodType>(
    id: string,
    route: string,
    schema: Schema | (() => Schema),
    handle: (request: OperationRequest<Caller, z.output<Schema>>) => Answer | Promise<Answer>,
  ): Route => ({
    id,
    ...placeOf(route),
    face,
    handle: async (call) => {
      const caller = admit(call);
      const wanted = typeof schema === 'function' ? schema() : schema;
      const value = Object.is(wanted, noBody) ? undefined : bodyOf(face, await call.json());
      const body = parse(wanted, value, face === 'lite' ? invalidBy : declinedBy);
      return (await handle({ call, caller, body })) ?? (face === 'lite' ? liteReply(null) : openReply(null));
    },
  });

/** Reply of an operation; undefined if there is no data to return. */
type Answer = Reply | undefined;

/**
 * Returns an empty object for an empty body, so that the refusal names the property that the body lacks. In the Open
 * API, a body that is null counts as empty too.
 */
const bodyOf = (face: Face, value: unknown): unknown =>
  value === undefined || (value === null && face === 'open') ? {} : value;

/**
 * Creates a route that controls or inspects the sandbox. The route serves only requests from the loopback address, and
 * no fault affects it.
 */
export const control = (route: string, handle: (call: Call) => Reply | Promise<Reply>): Route => ({
  id: `control ${route}`,
  ...placeOf(route),
  face: 'plain',
  control: true,
  handle: async (call) => await handle(call),
});

function placeOf(route: string): Pick<Route, 'method' | 'path'> {
  const [method = '', path = ''] = route.split(' ');
  return { method, path };
}

/** An operation and its path. `{name}` in the path becomes a parameter. Faults and inspection use `id`. */
export interface Route {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly face: Face;
  /** True for routes that control the sandbox. They answer only to the loopback address, and no fault affects them. */
  readonly control?: true;
  readonly handle: (call: Call) => Promise<Reply>;
}

interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export type Lookup = Found | 'unknown' | 'wrong-method';

/**
 * Finds the route for a path. Paths must match exactly, including letter case. A path without parameters is preferred
 * to one with parameters (platform contract GEN-11: paths).
 */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Lookup {
  const table = routes
    .map((route) => ({ route, pattern: patternOf(route.path), variables: route.path.split('{').length }))
    .sort((a, b) => a.variables - b.variables);
  return (method, path) => {
    const matching = table.flatMap(({ route, pattern }) => {
      const params = paramsOf(pattern.exec(path));
      return params === undefined ? [] : { route, params };
    });
    const found = matching.find(({ route }) => route.method === method);
    return found ?? (matching.length > 0 ? 'wrong-method' : 'unknown');
  };
}

/** Matches paths of the lite interface that exist with and without `/webapi` (platform contract ADM-14). */
const IN_WEBAPI = /^\/(lite_api|Api)\//;

/** Returns a pattern for the path, with or without a slash at the end. */
const patternOf = (path: string): RegExp => {
  const prefix = IN_WEBAPI.test(path) ? '(?:/webapi)?' : '';
  return new RegExp(`^${prefix}${path.replace(/\/$/, '').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);
};

/** Returns the decoded parameters; undefined if the path does not match, or cannot be decoded. */
function paramsOf(match: RegExpExecArray | null): Record<string, string> | undefined {
  try {
    const values = Object.entries(match?.groups ?? {});
    return match === null
      ? undefined
      : Object.fromEntries(values.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

/** One request to a route. */
export interface Call {
  readonly request: IncomingMessage;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /**
   * Configured address of the sandbox, without a slash at the end. Never taken from the Host header, which the caller
   * chooses.
   */
  readonly base: string;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Reads and decodes the JSON body. The route must authenticate the caller before that. */
  fields(): Promise<Fields>;
  /** Like `fields`, but accepts any JSON value; returns undefined for an empty body. */
  json(): Promise<unknown>;
}

export function header(call: Call, name: string): string | undefined {
  const value = call.request.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text || undefined;
}

/** Returns the path parameter `name`; the route's path must contain it. */
export const param = (call: Call, name: string): string => call.params[name] ?? '';

/**
 * True if the texts are equal. The comparison takes the same time for all texts of one length, so that its duration
 * reveals only the length.
 */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
