import { z } from 'zod';
import { tryJson } from '../json.ts';
import { asNumber, isFields, many } from '../shapes.ts';
import { documentedDeployment } from './deployment.ts';
import { wireMembers } from './encode.ts';
import { bare, factsOf, toType } from './facts.ts';

/**
 * Converts a request that is written as in the platform's documentation into one with our names: wire names, numbers
 * in place of names, JSON and lists inside strings, numeric ids, and null for an absent value. Leaves everything else
 * as it is, also a request that has our names already.
 */
export function pasted(member: z.ZodType, value: unknown): unknown {
  if (value === null) return member.safeParse(null).success ? null : undefined;
  const { as, codes } = factsOf(member);
  if (codes !== undefined) return nameOf(codes, value, member);
  const schema = bare(member);
  const text = typeof value === 'string' ? value : undefined;
  if (schema instanceof z.ZodString && typeof value === 'number') return String(value);
  if (as === 'json' && text !== undefined) return pastedInner(schema, tryJson(text) ?? text);
  if (as === 'piped' && text !== undefined) return text.split('|');
  return pastedInner(schema, as === 'one-or-many' ? many(value) : value);
}

function pastedInner(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const element = toType(schema.element);
    return value.map((each) => pasted(element, each));
  }
  if (!(schema instanceof z.ZodObject) || !isFields(value)) return value;
  const members = wireMembers(schema, documentedDeployment);
  const found = (key: string) =>
    members.find(({ name }) => name === key) ??
    members.find(({ wireName, member }) => wireName === key || factsOf(member).aliases?.includes(key));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const known = found(key);
      return known === undefined ? [key, each] : [known.name, pasted(known.member, each)];
    }),
  );
}

/** Returns the name of a code. The documented 0 of a field that has no code 0 stands for its default (RAG-8). */
function nameOf(codes: Readonly<Record<string, number>>, value: unknown, member: z.ZodType): unknown {
  const code = asNumber(value);
  const name = Object.keys(codes).find((each) => codes[each] === code);
  return name ?? (code === 0 && member.safeParse(undefined).success ? undefined : value);
}
