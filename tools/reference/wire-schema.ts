/**
 * Makes the JSON Schema of a request or result. For each field, uses the field's zod schema and its facts, which state
 * how the field is sent. Pure.
 */

import { z } from 'zod';
import { bare, factsOf, toType } from '../../src/platform/api.ts';
import { documentedDeployment, worded } from '../../src/platform/wire/deployment.ts';
import { encode } from '../../src/platform/wire/encode.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Fields that only tell the client what to do. They are never sent. */
export const OWN: Readonly<Record<string, readonly string[]>> = { updateWorkspace: ['omit'] };
/** Fields that are lists in our client, but are sent as one string. */
export const JOINED: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  retrieve: { keywords: { type: 'string', description: 'Keywords to search for, separated by |' } },
};

/** A field of a request or a result. */
export interface Member {
  readonly name: string;
  readonly member: z.ZodType;
}

export const membersOf = (schema: z.ZodObject): readonly Member[] =>
  Object.entries(schema.shape).map(([name, member]) => ({ name, member: toType(member) }));

/** Returns the schema of a list's elements; undefined if the field is not a list. */
export function elementOf(member: z.ZodType): z.ZodType | undefined {
  const schema = bare(member);
  return schema instanceof z.ZodArray ? toType(schema.element) : undefined;
}

/** Returns the schema of a page's items; a schema that is not a page is returned unchanged. */
export function itemsOf(page: z.ZodType): z.ZodType {
  const schema = bare(page);
  return schema instanceof z.ZodObject ? toType(schema.shape.items) : schema;
}

/** Where a schema occurs. The place decides which values the schema accepts, and how deep it is expanded. */
export interface Place {
  /**
   * A result's schema accepts more: fields that may be absent may also be null, and undocumented values are allowed.
   */
  readonly side: 'request' | 'result';
  /** Schemas of the objects around this one. A schema that is among them is recursive, and is not expanded again. */
  readonly above?: readonly z.ZodType[];
}

/** Returns the schema of one field with its description. */
export function wireSchema(member: z.ZodType, place: Place): Json {
  const shape = shapeOf(member, place);
  const mayBeNull = place.side === 'result' ? !isRequired(member) : isNullable(member);
  const doc = docOf(member);
  return { ...(mayBeNull ? orNull(shape) : shape), ...doc, ...fallbackOf(member, place) };
}

/**
 * Returns a field's description. If the field's values are codes, the description includes the meaning of each code.
 */
function docOf(member: z.ZodType): Json {
  const said = member.description ?? bare(member).description;
  const { codes } = factsOf(member);
  const names = Object.entries(codes ?? {}).map(([name, code]) => `${code} ${name}`);
  if (names.length > 0) return { description: `${said ?? 'One of'}: ${names.join(', ')}` };
  return said === undefined ? {} : { description: said };
}

function fallbackOf(member: z.ZodType, { side }: Place): Json {
  const value = side === 'request' && member instanceof z.ZodDefault ? member.def.defaultValue : undefined;
  if (value === undefined || value === null) return {};
  return { default: encode(member, value, documentedDeployment) };
}

const isNullable = (member: z.ZodType): boolean => member.safeParse(null).success;

export function orNull(schema: Json): Json {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  if (typeof schema.type !== 'string') return schema;
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}

/**
 * Returns the schema of a request's optional field. The platform treats null and an empty value as absent; only
 * Parley's client refuses an empty value.
 */
export function optionalSchema({ minLength: _length, minItems: _items, ...schema }: Json): Json {
  return orNull(schema);
}

function shapeOf(member: z.ZodType, place: Place): Json {
  const { as, codes, known, file, format } = factsOf(member);
  if (codes !== undefined) {
    const numbers = Object.values(codes);
    return { type: 'integer', [place.side === 'request' ? 'enum' : 'examples']: numbers };
  }
  if (known !== undefined) return { type: 'string', examples: known };
  if (file) return { type: 'string', format: 'binary' };
  if (format !== undefined && place.side === 'request') return { type: 'string', ...FORMATS[format] };
  if (as === 'integer') return { type: 'integer', format: 'int64' };
  if (as === 'integer-or-text')
    return {
      anyOf: [
        { type: 'integer', format: 'int64' },
        { type: 'string', minLength: 1 },
      ],
    };
  const inner = innerOf(bare(member), place);
  if (as === 'json') return { type: 'string', contentMediaType: 'application/json', contentSchema: inner };
  return as === 'one-or-many' ? { anyOf: [{ type: 'string' }, inner] } : inner;
}

/** Forms of a text in a request. A date is in ISO 8601, with or without a time; an empty text counts as absent. */
const FORMATS = {
  uuid: { format: 'uuid' },
  date: {
    pattern: '^(\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,7})?)?(Z|[+-]\\d\\d:\\d\\d)?)?)?$',
  },
};

function innerOf(schema: z.ZodType, { side, above = [] }: Place): Json {
  if (above.includes(schema)) return { type: 'object', description: 'The same object, nested' };
  if (schema instanceof z.ZodObject) return objectSchema(schema, { side, above: [...above, schema] });
  const element = elementOf(schema);
  if (element !== undefined) {
    const items = wireSchema(element, { side, above });
    return { type: 'array', items, ...(side === 'request' && boundsOf(schema)) };
  }
  if (schema instanceof z.ZodRecord) return { type: 'object', additionalProperties: true };
  return schema instanceof z.ZodCustom ? { type: 'object' } : leafSchema(schema, side);
}

/** Returns the schema of a string, number or boolean; in a result, without limits such as a maximum length. */
function leafSchema(schema: z.ZodType, side: Place['side']): Json {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { $schema: _dialect, description: _said, ...leaf } = whole;
  return side === 'result' && leaf.type !== undefined && leaf.enum === undefined ? { type: leaf.type } : leaf;
}

/**
 * Returns the schema of an object, in which each field has its name on the wire. Leaves out fields that only our client
 * adds.
 */
function objectSchema(schema: z.ZodObject, place: Place): Json {
  const sent = membersOf(schema).filter(({ member }) => !factsOf(member).raw);
  const required = sent.filter(({ member }) => isRequired(member)).map(wireName);
  const properties = sent.map((each) => {
    const whole = wireSchema(each.member, place);
    const isOptional = place.side === 'request' && !isRequired(each.member);
    return [wireName(each), isOptional ? optionalSchema(whole) : whole];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

export const wireName = ({ name, member }: Member): string =>
  worded(factsOf(member).name ?? name, documentedDeployment);

export const isRequired = (member: z.ZodType): boolean => !member.safeParse(undefined).success;

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** Limits of a number, a text or a list. */
type Bounds = Readonly<Partial<Record<(typeof BOUNDS)[number], number>>>;

/** Returns the limits in a schema. Leaves out the limits of safe integers, because every integer has them. */
export function boundsOf(schema: z.ZodType): Bounds {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const told = BOUNDS.map((name) => [name, whole[name]] as const).filter(
    ([, value]) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(told);
}

/** Describes a type with its limits, such as "text, at most 100 characters". Leaves out a minimum length. */
export function boundedText(kind: string, bounds: Bounds): string {
  const { minimum, maximum, maxLength, minItems, maxItems } = bounds;
  if (maxLength !== undefined) return `${kind}, at most ${maxLength} characters`;
  if (maxItems !== undefined && maxItems === minItems) return `${kind}, exactly ${maxItems}`;
  if (maxItems !== undefined) return `${kind}, at most ${maxItems}`;
  if (minimum !== undefined && maximum !== undefined) return `${kind}, ${minimum} to ${maximum}`;
  return minimum === undefined ? kind : `${kind}, at least ${minimum}`;
}
