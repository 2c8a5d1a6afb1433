/** JSON Schema of what travels, made of the members' schemas and facts. Pure. */

import { z } from 'zod';
import { bare, factsOf, toType } from '../../src/platform/api.ts';
import { documentedDeployment, worded } from '../../src/platform/wire/deployment.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Members that steer the client and never travel. */
export const OWN: Readonly<Record<string, readonly string[]>> = { updateWorkspace: ['omit'] };
/** Lists that travel as one text. */
export const JOINED: Readonly<Record<string, Json>> = {
  retrieve: { keywords: { type: 'string', description: 'Words to search by, with | between them' } },
};

/** The schema of one member with its description. `above` holds the objects around it, for those that hold themselves. */
export function wireSchema(member: z.ZodType, above: readonly z.ZodType[] = []): Json {
  const description = member.description ?? bare(member).description;
  return { ...shapeOf(member, above), ...(description !== undefined && { description }) };
}

function shapeOf(member: z.ZodType, above: readonly z.ZodType[]): Json {
  const { as, codes, known, file } = factsOf(member);
  if (codes !== undefined) return coded(codes);
  if (known !== undefined) return { type: 'string', examples: known };
  if (file) return { type: 'string', format: 'binary' };
  if (as === 'integer') return { type: 'integer', format: 'int64' };
  const inner = innerOf(bare(member), above);
  if (as === 'json') return { type: 'string', contentMediaType: 'application/json', contentSchema: inner };
  return as === 'one-or-many' ? { anyOf: [{ type: 'string' }, inner] } : inner;
}

const coded = (codes: Readonly<Record<string, number>>): Json => ({
  type: 'integer',
  oneOf: Object.entries(codes).map(([name, code]) => ({ const: code, title: name })),
});

function innerOf(schema: z.ZodType, above: readonly z.ZodType[]): Json {
  if (above.includes(schema)) return { type: 'object', description: 'The same again, one level below' };
  if (schema instanceof z.ZodObject) return objectSchema(schema, [...above, schema]);
  if (schema instanceof z.ZodArray)
    return { type: 'array', items: wireSchema(toType(schema.element), above) };
  if (schema instanceof z.ZodRecord) return { type: 'object', additionalProperties: true };
  if (schema instanceof z.ZodCustom) return { type: 'object' };
  const {
    $schema: _dialect,
    description: _said,
    ...leaf
  } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return leaf;
}

/** An object by its members' names on the wire; what the client adds for code is left out. */
export function objectSchema(schema: z.ZodObject, above: readonly z.ZodType[] = []): Json {
  const members = Object.entries(schema.shape).map(([name, shape]) => ({ name, member: toType(shape) }));
  const travelling = members.filter(({ member }) => !factsOf(member).raw);
  const required = travelling.filter(({ member }) => isRequired(member)).map(wireName);
  return {
    type: 'object',
    properties: Object.fromEntries(
      travelling.map((each) => [wireName(each), wireSchema(each.member, above)]),
    ),
    ...(required.length > 0 && { required }),
  };
}

interface Named {
  readonly name: string;
  readonly member: z.ZodType;
}

export const wireName = ({ name, member }: Named): string =>
  worded(factsOf(member).name ?? name, documentedDeployment);

export const isRequired = (member: z.ZodType): boolean => !member.safeParse(undefined).success;
