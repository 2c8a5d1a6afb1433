import type { CommonDeps } from '../auth/identity.ts';
import { declined, known } from '../http/reply.ts';
import type { Options } from '../options.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { Organizations } from './organizations.ts';
import type { Roles, Users } from './users.ts';

/** Dependencies of the routes in this folder. */
export interface PeopleDeps extends CommonDeps {
  readonly database: Database;
  readonly users: Users;
  readonly roles: Roles;
  readonly organizations: Organizations;
}

/**
 * Makes a change in a transaction. Refuses a change after which no enabled administrator would be left, because then no
 * account could undo the change. The platform's documentation does not mention this refusal.
 */
export function changePeople<T>(deps: PeopleDeps, work: () => T): T {
  const { database, users, roles } = deps;
  return inTransaction(database, () => {
    const result = work();
    const left = roles.administrators().map(users.withId);
    if (!left.some((user) => user?.enable && user.active)) {
      throw declined('The last enabled administrator must keep that role.');
    }
    return result;
  });
}

/** Wraps the details of one record in an array if the options ask for it (platform contract GEN-14: single results). */
export const single = (options: Options, details: unknown): unknown =>
  options.wrapSingle ? [details] : details;

/** Finds records of one kind by id or by name. */
interface Finder<T> {
  withId(id: string): T | undefined;
  named(name: string): T | undefined;
}

/**
 * Returns the record with this id or name. If the text is one record's id and another's name, the id counts. Refuses
 * the request if there is no such record. `noun` names the kind of record in the refusal, such as `user`.
 */
export const findOne = <T>(noun: string, finder: Finder<T>, code: string): T =>
  known(finder.withId(code) ?? finder.named(code), `${noun} ${code}`);

/**
 * Returns the records with these ids or names, each only once. Refuses a list that mixes ids and names (platform
 * contract USR-3, ORG-3).
 */
export function findAll<T extends { readonly id: string }>(
  noun: string,
  finder: Finder<T>,
  codes: readonly string[],
): readonly T[] {
  const byId = codes.flatMap((code) => finder.withId(code) ?? []);
  const byName = codes.flatMap((code) => finder.named(code) ?? []);
  const found = [byId, byName].find((each) => each.length === codes.length);
  if (found === undefined) {
    for (const code of codes) findOne(noun, finder, code);
    throw declined(`Ids and names of ${noun}s must not be mixed in one call.`);
  }
  return [...new Map(found.map((each) => [each.id, each])).values()];
}
