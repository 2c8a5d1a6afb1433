import { z } from 'zod';
import { type AnyOperation, bare, factsOf, toType } from '../../platform/api.ts';
import type { Input } from './inputs.ts';

/** Whether a member of the result is a secret. */
export function holdsSecret({ response }: AnyOperation): boolean {
  const schema = bare(response);
  const shape: unknown = Reflect.get(schema, 'shape');
  if (typeof shape !== 'object' || shape === null) return false;
  return Object.values(shape).some((member) => factsOf(toType(member)).secret === true);
}

/**
 * What to say of secrets that were written among the arguments. A member that is a secret itself is read from a file;
 * one inside a list or an object, such as a user's password, is not.
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
    return [
      `The shell's history and the list of processes show the ${secrets.join(', ')} in --${flag}.${cure}`,
    ];
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
