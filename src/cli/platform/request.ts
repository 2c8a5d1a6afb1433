import { z } from 'zod';
import { usage } from '../../errors.ts';
import { type AnyOperation, bare, factsOf, toType } from '../../platform/api.ts';
import type { FileSource } from '../../platform/index.ts';
import type { Input } from './inputs.ts';

/** The values given on the command line, by field name, with or without a flag. */
export type Given = Readonly<Record<string, unknown>>;

/** Readers of files, standard input and YAML. */
export interface Readers {
  file(path: string): Promise<FileSource>;
  /** Reads the text of a file, or standard input if `path` is `-`. */
  text(path: string): Promise<string>;
  yaml(text: string, place: string): unknown;
}

/**
 * Builds the request from the body file and the flags. If both contain a field, the flag counts. The operation checks
 * the result.
 */
export async function requestOf(
  inputs: readonly Input[],
  given: Given,
  body: unknown,
  readers: Readers,
): Promise<Record<string, unknown>> {
  const request = bodyMembers(inputs, body);
  for (const input of inputs) {
    const value = given[input.name];
    if (value !== undefined) request[input.name] = await inputValue(input, value, readers);
  }
  return request;
}

function bodyMembers(inputs: readonly Input[], body: unknown): Record<string, unknown> {
  if (body === undefined) return {};
  const list = inputs.find(({ isBody }) => isBody);
  if (Array.isArray(body)) {
    if (list !== undefined) return { [list.name]: body };
    throw usage('--file: the body must be an object, not a list.');
  }
  if (typeof body !== 'object' || body === null) throw usage('--file: the body must be an object.');
  return { ...body };
}

async function inputValue(input: Input, value: unknown, readers: Readers): Promise<unknown> {
  const { kind, flag } = input;
  const text = String(value);
  switch (kind) {
    case 'number':
      if (text.trim() === '' || !Number.isFinite(Number(text)))
        throw usage(`--${flag}: must be a number, not "${text}".`);
      return Number(text);
    case 'file':
      return readers.file(text);
    case 'files':
      return Promise.all(listOf(value).map((path) => readers.file(path)));
    case 'secret':
      return secretOf(await readers.text(text), `--${flag}-file`, text);
    case 'yaml':
      return readers.yaml(text, `--${flag}`);
    case 'texts':
      return listOf(value);
    default:
      return value;
  }
}

/** Returns the secret in a file. Throws if the file is empty, because an empty secret is always a mistake. */
export function secretOf(text: string, flag: string, path: string): string {
  const secret = text.trim();
  if (secret === '') throw usage(`${flag}: ${path === '-' ? 'the standard input' : path} is empty.`);
  return secret;
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : [value]).map(String);

/** True if a field of the result is a secret. */
export function holdsSecret({ response }: AnyOperation): boolean {
  const schema = bare(response);
  const members = schema instanceof z.ZodObject ? Object.values(schema.shape) : [];
  return members.some((member) => factsOf(toType(member)).secret === true);
}

/**
 * Returns warnings about secrets on the command line, where other users can see them. Secret fields are read from
 * files, but a list or an object may contain a secret, such as a user's password.
 */
export function adviceOnArguments(
  { request: { shape }, body }: Pick<AnyOperation, 'request' | 'body'>,
  inputs: readonly Input[],
  request: Readonly<Record<string, unknown>>,
): readonly string[] {
  return inputs.flatMap(({ name, flag }) => {
    const secrets = secretsIn(toType(shape[name]), request[name], name);
    if (secrets.length === 0) return [];
    const cure = body === 'json' ? ' Put the request into a file and name it with --file.' : '';
    return [`The shell's history and the process list show the ${secrets.join(', ')} in --${flag}.${cure}`];
  });
}

function secretsIn(member: z.ZodType, value: unknown, name: string): readonly string[] {
  if (factsOf(member).secret) return typeof value === 'string' && value !== '' ? [name] : [];
  const schema = bare(member);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return [...new Set(value.flatMap((each) => secretsIn(toType(schema.element), each, name)))];
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  return Object.entries(schema.shape).flatMap(([inner, each]) =>
    secretsIn(toType(each), Reflect.get(value, inner), inner),
  );
}
