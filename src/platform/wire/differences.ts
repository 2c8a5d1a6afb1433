import { z } from 'zod';
import { tryJson } from '../json.ts';
import { many, one } from '../shapes.ts';
import { dataOf, listOf } from './answers.ts';
import { type Deployment, worded } from './deployment.ts';
import { bare, factsOf, toType } from './facts.ts';

/** A name of a field; other keys may be data of people. */
const FIELD = /^[A-Za-z_][A-Za-z0-9_]{0,40}$/;

/**
 * Returns how the items in the body of a response differ from their description: fields that are missing, not
 * described, or of another type. The letter case of a name is no difference (platform contract INC-4). The client reads
 * such bodies too, so a difference is no error. Contains names of fields only, and no values.
 */
export function differences(item: z.ZodType, body: unknown, deployment: Deployment): readonly string[] {
  const found = new Set<string>();
  for (const each of listOf(body) ?? many(dataOf(body))) compare(item, each, { path: '', found, deployment });
  return [...found].toSorted();
}

interface Place {
  /** Path of the value, such as `childNodeList.code`; empty for the item itself. */
  readonly path: string;
  readonly found: Set<string>;
  readonly deployment: Deployment;
}

function compare(member: z.ZodType, given: unknown, place: Place): void {
  if (given === undefined || given === null) return;
  const { as, codes, known } = factsOf(member);
  if (as === 'piped' || codes !== undefined || known !== undefined) return;
  const value = as === 'json' && typeof given === 'string' ? tryJson(given) : given;
  const schema = bare(member);
  if (schema instanceof z.ZodObject) compareFields(schema, value, place);
  if (schema instanceof z.ZodArray)
    for (const each of many(value)) compare(toType(schema.element), each, place);
  const expected =
    schema instanceof z.ZodString ? 'string' : schema instanceof z.ZodNumber ? 'number' : undefined;
  const wanted = schema instanceof z.ZodBoolean ? 'boolean' : expected;
  if (wanted !== undefined && typeof value !== wanted)
    place.found.add(`${place.path || 'the item'} is a ${typeof value}, described as a ${wanted}`);
}

function compareFields(schema: z.ZodObject, value: unknown, { path, found, deployment }: Place): void {
  const fields = one(value);
  if (fields === undefined) {
    found.add(`${path || 'the item'} is a ${typeof value}, described as an object`);
    return;
  }
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const described = new Set<string>();
  for (const [name, shape] of Object.entries(schema.shape)) {
    const member = toType(shape);
    const { raw, name: wire = name, aliases = [] } = factsOf(member);
    if (raw) continue;
    const names = [worded(wire, deployment), ...aliases];
    const sent = Object.keys(fields).find((each) =>
      names.some((other) => other.toLowerCase() === each.toLowerCase()),
    );
    if (sent === undefined) {
      if (!member.safeParse(undefined).success) found.add(`${at(names[0] ?? name)} is missing`);
      continue;
    }
    described.add(sent);
    compare(member, fields[sent], { path: at(sent), found, deployment });
  }
  if (schema.def.catchall instanceof z.ZodUnknown) return;
  for (const name of Object.keys(fields))
    if (!described.has(name) && FIELD.test(name)) found.add(`${at(name)} is not described`);
}
