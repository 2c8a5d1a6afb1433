import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Fields } from './json.ts';
import { type Face, liteReply, openReply, type Reply } from './reply.ts';
import { declinedBy, invalidBy, parse } from './schema.ts';

/** Admitted request with a body that fits the operation's schema. */
interface Asked<Caller, Body> {
  readonly call: Call;
  readonly caller: Caller;
  readonly body: Body;
}

/** Schema of an operation whose body is not read. */
export const noBody = z.undefined();

/**
 * Returns a function that creates operations of one face for one kind of caller. Faults and inspection use
 * `id`; an example of `route` is `POST /v1/openapi/user`. `admit` refuses other callers before the body is
 * read. If a schema depends on live options, it is passed as a function.
 */
export const operations =
  <Caller>(face: Face, admit: (call: Call) => Caller) =>
  <Schema extends z.ZodType>(
    id: string,
    route: string,
    schema: Schema | (() => Schema),
    handle: (asked: Asked<Caller, z.output<Schema>>) => Answer | Promise<Answer>,
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

/** Reply of an operation; undefined if it has no data to return. */
type Answer = Reply | undefined;

/**
 * Returns an empty object for an empty body, so that the refusal names a missing member. In the Open API,
 * null is treated in the same way.
 */
const bodyOf = (face: Face, value: unknown): unknown =>
  value === undefined || (value === null && face === 'open') ? {} : value;

/**
 * Creates a route that controls or inspects the sandbox. It accepts requests from the loopback address only,
 * and faults do not apply.
 */
export const control = (route: string, handle: (call: Call) => Reply | Promise<Reply>): Route => ({
  id: `control ${route}`,
  ...placeOf(route),
  face: 'plain',
  control: true,
  handle: async (call) => await handle(call),
});

function placeOf(route: string): Pick<Route, 'method' | 'path'> {
  const [word, path = ''] = route.split(' ');
  const method = METHODS.find((each) => each === word);
  if (method === undefined) throw new Error(`The route ${route} has no method.`);
  return { method, path };
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** One served operation. `{name}` segments of the path become parameters. Faults and inspection use `id`. */
export interface Route {
  readonly id: string;
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly face: Face;
  /**
   * True for control routes, which accept requests from the loopback address only and are exempt from faults.
   */
  readonly control?: true;
  readonly handle: (call: Call) => Promise<Reply>;
}

interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export type Lookup = Found | 'unknown' | 'wrong-method';

/**
 * Finds routes by exact, case-sensitive paths. Static routes take precedence over routes with parameters
 * (platform contract GEN-11).
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

/** Returns the pattern of a path, which ignores a trailing slash. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\/$/, '').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);

/** Returns the decoded parameters; undefined if the path does not match or has an escape that cannot be decoded. */
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
  /** Configured address of the sandbox, without a trailing slash. It does not depend on the Host header. */
  readonly base: string;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Reads and decodes the JSON body. A route must authenticate the caller first. */
  fields(): Promise<Fields>;
  /** Like `fields`, but accepts any JSON value; returns undefined for an empty body. */
  json(): Promise<unknown>;
}

export function header(call: Call, name: string): string | undefined {
  const value = call.request.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text || undefined;
}

/** Returns the path parameter `name`, which must be in the route's path. */
export const param = (call: Call, name: string): string => call.params[name] ?? '';

/** Compares in constant time; texts of different length are different. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
