import { type Fields, idText } from './fields.ts';
import { member } from './open-fields.ts';
import { declined } from './refusal.ts';

/** How the things of one kind are found by what callers call them. */
export interface Finder<T> {
  /** Such as `user`, for refusals. */
  readonly noun: string;
  withId(id: string): T | undefined;
  named(name: string): T | undefined;
}

/** What one code means; an id wins over a name of the same digits. Refused when it is unknown. */
export function findOne<T>(code: string, finder: Finder<T>): T {
  const found = finder.withId(code) ?? finder.named(code);
  if (found === undefined) throw declined(`The ${finder.noun} ${code} is unknown.`);
  return found;
}

/** What codes mean, each once: all are ids or all are names (platform contract USR-3, ORG-3). Else everything is refused. */
export function findAll<T extends { readonly id: string }>(
  codes: readonly string[],
  finder: Finder<T>,
): readonly T[] {
  const byId = codes.flatMap((code) => finder.withId(code) ?? []);
  const byName = codes.flatMap((code) => finder.named(code) ?? []);
  const found = [byId, byName].find((each) => each.length === codes.length);
  if (found === undefined) {
    for (const code of codes) findOne(code, finder);
    throw declined(`Ids and names of ${finder.noun}s must not be mixed in one call.`);
  }
  return [...new Map(found.map((each) => [each.id, each])).values()];
}

/** Ids as digits or integers, or names (platform contract GEN-9). `what` says in a refusal where they stood. */
export function readCodes(values: readonly unknown[], what: string): readonly string[] {
  return values.map((value) => {
    const code = idText(value);
    if (code === undefined || code === '') throw declined(`${what} must hold ids or names only.`);
    return code;
  });
}

/** An array of codes with at least one element. */
export function codesMember(fields: Fields, name: string): readonly string[] {
  const value = member(fields, name);
  if (!Array.isArray(value) || value.length === 0) {
    throw declined(`The parameter ${name} must be an array with at least one element.`);
  }
  return readCodes(value, `The parameter ${name}`);
}

/** One id or name; undefined when it is absent, null or empty. */
export function codeMember(fields: Fields, name: string): string | undefined {
  const value = member(fields, name) ?? '';
  const code = idText(value);
  if (code === undefined) throw declined(`The parameter ${name} must be a string or an integer.`);
  return code === '' ? undefined : code;
}
