import type { z } from 'zod';
import { BridgeError } from '../../errors.ts';
import { callError } from '../failure.ts';
import { asList } from '../shapes.ts';
import type { Deployment } from './deployment.ts';
import { encode, wireMembers } from './encode.ts';
import { factsOf, type WireFacts } from './facts.ts';
import type { FormPart } from './form.ts';
import { isFileSource } from './members.ts';

/** The fields of a request, grouped by where the request contains them. */
export interface WireParts {
  /** Values of the path parameters. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters by name. A list is sent by repeating the name. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: readonly FormPart[];
}

interface Sent {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: 'none' | 'json' | 'form';
  readonly request: z.ZodObject;
  adapt?(parts: WireParts, deployment: Deployment): WireParts;
}

/**
 * Converts a request into its parts. If fields are wrong, throws `platform-parameter` before anything is sent. The
 * error names each wrong field and its limit.
 */
export function wireParts(operation: Sent, request: unknown, deployment: Deployment): WireParts {
  const checked = operation.request.safeParse(request, { reportInput: true });
  if (!checked.success) {
    const { id } = operation;
    throw callError('platform-parameter', id, `${id} was not sent: ${complaints(checked.error)}.`);
  }
  const parts = place(operation, membersOf(operation.request, checked.data, deployment));
  return operation.adapt?.(parts, deployment) ?? parts;
}

interface Member {
  readonly name: string;
  readonly place: WireFacts['in'];
  readonly value: unknown;
}

function membersOf(schema: z.ZodObject, request: object, deployment: Deployment): readonly Member[] {
  return wireMembers(schema, deployment)
    .map(({ name, wireName, member }) => ({
      name: wireName,
      place: factsOf(member).in,
      value: encode(member, Reflect.get(request, name), deployment),
    }))
    .filter(({ value }) => value !== undefined);
}

function place(operation: Sent, members: readonly Member[]): WireParts {
  const isParameter = ({ name }: Member): boolean => operation.path.includes(`{${name}}`);
  const headers = members.filter((member) => member.place === 'header');
  const rest = members.filter((member) => !isParameter(member) && !headers.includes(member));
  const inQuery = (member: Member): boolean => member.place === 'query' || operation.body === 'none';
  const query = rest.filter(inQuery);
  const body = rest.filter((member) => !inQuery(member));
  return {
    path: Object.fromEntries(members.filter(isParameter).map(({ name, value }) => [name, plain(value)])),
    query: Object.fromEntries(
      query.map(({ name, value }) => [name, asList(value)?.map(plain) ?? plain(value)]),
    ),
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, plain(value)])),
    }),
    ...(operation.body === 'form' && { form: body.flatMap(formParts) }),
    ...(operation.body === 'json' && { json: jsonOf(body) }),
  };
}

function jsonOf(body: readonly Member[]): unknown {
  const list = body.find((member) => member.place === 'list');
  return list === undefined ? Object.fromEntries(body.map(({ name, value }) => [name, value])) : list.value;
}

function formParts({ name, value }: Member): readonly FormPart[] {
  return (asList(value) ?? [value]).map((item) =>
    isFileSource(item) ? { name, file: item } : { name, text: plain(item) },
  );
}

/** Returns a scalar as text. A large integer is an object whose digits only `JSON.stringify` can write. */
function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Returns the path with its parameters and query filled in, percent-encoded (platform contract GEN-17). */
export function fillPath(path: string, { path: values, query }: Pick<WireParts, 'path' | 'query'>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = values[name] ?? '';
    // Percent-encoding leaves "." and ".." unchanged, and they would lead to another path.
    if (value === '' || /^\.{1,2}$/.test(value)) {
      throw new BridgeError(
        'platform-parameter',
        `The path parameter ${name} must not be empty, "." or "..".`,
      );
    }
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map(
      (each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`,
    ),
  );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

type Issue = z.core.$ZodIssue;

/** Maximum length of a value that an error repeats, in characters. */
const SHOWN = 40;

/** Describes each fault of a request: the field, its limit, and the given value. */
function complaints(error: z.ZodError): string {
  return error.issues.map((issue) => `${placeOf(issue)}${faultOf(issue)}`).join('; ');
}

const placeOf = ({ path }: Issue): string => (path.length === 0 ? '' : `${path.join('.')}: `);

function faultOf(issue: Issue): string {
  switch (issue.code) {
    case 'too_big':
      return `at most ${issue.maximum}${unitOf(issue.origin)}, not ${sizeOf(issue.input)}`;
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int'
        ? 'must not be empty'
        : `at least ${issue.minimum}${unitOf(issue.origin)}, not ${sizeOf(issue.input)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}${given(issue.input)}`;
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${issue.expected}${given(issue.input)}`;
    case 'unrecognized_keys':
      return `there is no field ${issue.keys.join(', ')}`;
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' elements' : '';
}

function sizeOf(input: unknown): string {
  return typeof input === 'string' || Array.isArray(input) ? String(input.length) : String(input);
}

/**
 * Returns the wrong value for an error message. Returns only short scalars, because a long value may be private text.
 */
function given(input: unknown): string {
  const plain = typeof input === 'string' || typeof input === 'number' || typeof input === 'boolean';
  const text = String(input);
  return plain && text.length <= SHOWN ? `, not ${JSON.stringify(input)}` : '';
}
