import { z } from 'zod';
import { bareInteger } from '../json.ts';
import { asList, isFields } from '../shapes.ts';
import { type Deployment, worded } from './deployment.ts';
import { bare, factsOf, toType } from './facts.ts';

/** Matches an integer of up to 19 digits as JSON writes it. */
const INTEGER = /^(?:0|[1-9]\d{0,18})$/;

/**
 * Converts a checked value into its wire format: field names, codes, integers without quotation marks, and JSON
 * inside strings (platform contract GEN-9, INC-6).
 */
export function encode(member: z.ZodType, value: unknown, deployment: Deployment): unknown {
  if (value === undefined || value === null) return value;
  const { as, codes } = factsOf(member);
  if (codes !== undefined) return typeof value === 'string' ? codes[value] : value;
  if (as === 'integer' || (as === 'integer-or-text' && INTEGER.test(String(value)))) {
    return bareInteger(String(value));
  }
  const inner = encodeInner(bare(member), value, deployment);
  if (as === 'json') return JSON.stringify(inner);
  if (as === 'piped') return asList(inner)?.join('|');
  return as === 'one-or-many' ? oneOrMany(inner) : inner;
}

function encodeInner(schema: z.ZodType, value: unknown, deployment: Deployment): unknown {
  if (schema instanceof z.ZodObject && isFields(value)) {
    const members = wireMembers(schema, deployment);
    const described = new Set(members.map(({ name }) => name));
    // Undocumented fields get here only if the schema is loose.
    const others = Object.entries(value).filter(([name]) => !described.has(name));
    const known = members.map(({ name, wireName, member }) => [
      wireName,
      encode(member, value[name], deployment),
    ]);
    return Object.fromEntries([...known, ...others]);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const element = toType(schema.element);
    return value.map((item) => encode(element, item, deployment));
  }
  return value;
}

/** Sends a list with one element as the element itself (platform contract CHL-10, CHL-11). */
function oneOrMany(value: unknown): unknown {
  const list = asList(value);
  if (list === undefined || list.length > 1) return value;
  return list[0];
}

interface WireMember {
  readonly name: string;
  readonly wireName: string;
  readonly member: z.ZodType;
}

/** Returns the fields of an object with their wire names. */
export function wireMembers(schema: z.ZodObject, deployment: Deployment): readonly WireMember[] {
  return Object.entries(schema.shape).map(([name, shape]) => {
    const member = toType(shape);
    return { name, member, wireName: worded(factsOf(member).name ?? name, deployment) };
  });
}
