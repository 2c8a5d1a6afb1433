import { z } from 'zod';
import { tryJson } from '../json.ts';
import { asFlag, asNumber, finderIn, isFields, many, one } from '../shapes.ts';
import { type Deployment, worded } from './deployment.ts';
import { bare, factsOf, toType } from './facts.ts';

/**
 * Converts data from a server into values that the schema accepts: finds fields in any letter case, converts ids
 * to text, accepts numbers and booleans as text, keeps unknown values of enumerations and the other fields of loose
 * objects, splits lists inside strings, and drops elements that do not match (platform contract INC-4, GEN-9, GEN-12, GEN-14, DEC-24).
 */
export function decode(member: z.ZodType, value: unknown, deployment: Deployment): unknown {
  if (value === undefined || value === null) return undefined;
  const { as, codes, known } = factsOf(member);
  if (codes !== undefined) return named(codes, value);
  if (known !== undefined) return reportedValue(known, value);
  const schema = bare(member);
  const text = typeof value === 'string' ? value : undefined;
  if (as === 'piped' && text !== undefined) return text.split('|');
  return decodeInner(schema, as === 'json' && text !== undefined ? tryJson(text) : value, deployment);
}

function decodeInner(schema: z.ZodType, value: unknown, deployment: Deployment): unknown {
  if (schema instanceof z.ZodObject) return decodeObject(schema, value, deployment);
  if (schema instanceof z.ZodArray) return decodeList(toType(schema.element), value, deployment);
  if (schema instanceof z.ZodString) return asText(value);
  if (schema instanceof z.ZodNumber) return asNumber(value);
  if (schema instanceof z.ZodBoolean) return asFlag(value);
  return value;
}

function decodeObject(schema: z.ZodObject, value: unknown, deployment: Deployment): unknown {
  const fields = one(value);
  if (fields === undefined) return undefined;
  const find = finderIn(fields);
  const others = schema.def.catchall instanceof z.ZodUnknown ? fields : {};
  const known = Object.fromEntries(
    Object.entries(schema.shape).map(([name, shape]) => {
      const member = toType(shape);
      const { raw, name: wireName = name, aliases = [] } = factsOf(member);
      if (raw) return [name, fields];
      return [name, decode(member, find([worded(wireName, deployment), ...aliases]), deployment)];
    }),
  );
  return { ...others, ...known };
}

/** Decodes a list. Drops elements that do not match, so that one of them does not make the whole list invalid. */
function decodeList(element: z.ZodType, value: unknown, deployment: Deployment): unknown {
  return many(value)
    .map((item) => decode(element, item, deployment))
    .filter((item) => item !== undefined);
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function named(codes: Readonly<Record<string, number>>, value: unknown): unknown {
  const code = asNumber(value);
  const name = Object.keys(codes).find((each) => codes[each] === code);
  return name ?? reportedValue(Object.keys(codes), value);
}

function reportedValue(known: readonly string[], value: unknown): unknown {
  const text = isFields(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
  return known.find((each) => each === text) ?? { known: false, value: text };
}
