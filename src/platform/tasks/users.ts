import { z } from 'zod';
import { BridgeError } from '../../errors.ts';
import type { CallOptions, PlatformClient } from '../caller.ts';
import { type User, userInfo } from '../operations/user.ts';
import { deleteUsers, getUser, updateUser } from '../operations/users.ts';

type Update = z.input<typeof updateUser.request>;
export type UserPatch = Partial<Omit<Update, 'id' | 'userName'>>;

/**
 * Neutral values for fields that the user's record does not contain. Needed because the platform requires every field
 * (platform contract USR-1).
 */
const BLANK = Object.fromEntries(
  Object.entries(userInfo)
    .filter(([, member]) => member instanceof z.ZodString || member instanceof z.ZodNumber)
    .map(([name, member]) => [name, member instanceof z.ZodString ? '' : 0]),
);

/**
 * Fields without a neutral value, because any value would change what the user may do. They are sent only if the record
 * or the caller provides them.
 */
const NO_DEFAULT = ['active', 'enable', 'external', 'isIdp', 'gender'] as const;

/**
 * Changes some fields of a user. The platform replaces the whole record, so this function reads the user first and
 * sends all fields again (platform contract USR-2). Throws `platform-parameter` if a field in `NO_DEFAULT` is neither
 * in the record nor given.
 */
export async function changeUser(
  client: PlatformClient,
  { userCode, patch }: { readonly userCode: string; readonly patch: UserPatch },
  options?: CallOptions,
): Promise<void> {
  const user = await client.call(getUser, { userCode }, options);
  await client.call(updateUser, merged(user, patch), options);
}

function merged(user: User, patch: UserPatch): Update {
  const { raw: _raw, created: _created, modified: _modified, id, userId: _userId, accountId, ...rest } = user;
  const { gender, ...known } = rest;
  const record = {
    ...BLANK,
    active: true,
    ...defined(known),
    ...(typeof gender === 'string' && { gender }),
    ...patch,
  };
  const missing = NO_DEFAULT.filter((name) => !(name in record));
  if (missing.length > 0) {
    throw new BridgeError(
      'platform-parameter',
      `updateUser was not sent: the platform does not return ${missing.join(', ')} of this user. Set these fields too.`,
    );
  }
  const account = accountId ?? id;
  return { ...record, ...(account !== undefined && { id: account }) } as Update;
}

function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

/** Deletes users by their user ids (platform contract USR-3). */
export async function deleteUsersById(
  client: PlatformClient,
  ids: readonly string[],
  options?: CallOptions,
): Promise<void> {
  refuse(
    ids.filter((id) => !/^\d+$/.test(id)),
    'is not a user id',
  );
  await client.call(deleteUsers, { users: [...ids] }, options);
}

/**
 * Deletes users by their names. Refuses a name of digits only, because the platform would take it for an id
 * (platform contract USR-3).
 */
export async function deleteUsersByName(
  client: PlatformClient,
  names: readonly string[],
  options?: CallOptions,
): Promise<void> {
  refuse(
    names.filter((name) => /^\d+$/.test(name)),
    'would be taken for an id',
  );
  await client.call(deleteUsers, { users: [...names] }, options);
}

function refuse(codes: readonly string[], why: string): void {
  const [code] = codes;
  if (code === undefined) return;
  throw new BridgeError('platform-parameter', `deleteUsers was not sent: ${code} ${why}.`);
}
