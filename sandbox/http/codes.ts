import { declined } from './reply.ts';

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
