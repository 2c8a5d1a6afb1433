import type { Call } from './call.ts';
import { asFields, type Fields } from './fields.ts';
import { declined } from './refusal.ts';

/** A member by its name in any case; the exact name wins (platform contract INC-4). Inherited members are none. */
export function member<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  const wanted = name.toLowerCase();
  const found = Object.keys(fields).find((candidate) => candidate.toLowerCase() === wanted);
  return found === undefined ? undefined : fields[found];
}

/** The body as an object. What is wrong with it is a business failure (platform contract ERR-4), but for malformed JSON. */
export async function objectBody(call: Call): Promise<Fields> {
  const fields = asFields((await call.json()) ?? {});
  if (fields === undefined) throw declined('The body must be a JSON object.');
  return fields;
}

/** The body as a bare array with at least one element. */
export async function arrayBody(call: Call): Promise<readonly unknown[]> {
  const items = await call.json();
  if (!Array.isArray(items)) throw declined('The body must be a JSON array.');
  if (items.length === 0) throw declined('The body must be a JSON array with at least one element.');
  return items;
}

/** Text or undefined; null and the empty text count as absent. */
export function textMember(fields: Fields, name: string): string | undefined {
  const value = member(fields, name) ?? '';
  if (typeof value !== 'string') throw declined(`The parameter ${name} must be a string.`);
  return value === '' ? undefined : value;
}

export function requiredMember(fields: Fields, name: string): string {
  const value = textMember(fields, name);
  if (value === undefined || value.trim() === '') throw declined(`The parameter ${name} is missing.`);
  return value;
}

export function flagMember(fields: Fields, name: string, fallback: boolean): boolean {
  const value = member(fields, name) ?? fallback;
  if (typeof value !== 'boolean') throw declined(`The parameter ${name} must be true or false.`);
  return value;
}

export function integerMember(fields: Fields, name: string, fallback: number): number {
  const value = member(fields, name) ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw declined(`The parameter ${name} must be an integer.`);
  }
  return value;
}
