import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { answersMany, answersNothing, answersOne, answersPage } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import { anyText, flag, text } from '../wire/members.ts';
import { eitherOr, listing } from './shared.ts';
import { userInfo, userRecord } from './user.ts';

const BASE = '/v1/openapi/user';
const operation = operationsOf('users', 'open');
const userCode = text('User id or user name').refine(
  (code) => code !== 'me',
  '"me" means the user of the token; use `users me`',
);

/** Creates users; always sent as a list (platform contract USR-1). */
export const createUsers = operation({
  id: 'createUsers',
  command: 'create',
  doc: 'Creates all of the given users, or none if one is not accepted.',
  method: 'POST',
  path: BASE,
  request: z.strictObject({
    users: wired(
      z
        .array(
          z.strictObject({
            userName: text('User name'),
            password: anyText('Password', { secret: true }).default(''),
            active: flag('Whether the account is active').default(true),
            userInfo: z.strictObject(userInfo).partial().describe('Details of the person').optional(),
          }),
        )
        .min(1)
        .describe('The users'),
      { in: 'list' },
    ),
  }),
  ...answersMany(
    z.object({
      accountId: text('Account id').optional(),
      userId: text('User id').optional(),
      userName: anyText('User name').optional(),
      realName: anyText('Real name').optional(),
    }),
  ),
});

/**
 * Replaces a user's whole record (platform contract USR-2). `changeUser` reads the record first, so that the other
 * members are kept.
 */
export const updateUser = operation({
  id: 'updateUser',
  command: 'replace',
  doc: "Replaces a user's whole record.",
  method: 'PUT',
  path: BASE,
  request: z
    .strictObject({
      id: text('Account id').optional(),
      userName: text('User name, to find the user; it cannot be changed').optional(),
      active: flag('Whether the account is active').default(true),
      ...userInfo,
    })
    .refine(({ id, userName }) => id !== undefined || userName !== undefined, 'needs id or userName'),
  ...answersNothing,
});

/** Deletes users by ids or by names, never both in one call (platform contract USR-3). */
export const deleteUsers = operation({
  id: 'deleteUsers',
  command: 'delete',
  doc: 'Permanently deletes users by their ids or by their names.',
  method: 'DELETE',
  path: BASE,
  destroys: true,
  request: z.strictObject({
    users: eitherOr('User ids, or user names; never both', { in: 'list' }),
  }),
  ...answersNothing,
});

const switching = { method: 'PUT', body: 'none' } as const;

/** Enables one user, given by id or name (platform contract USR-4, STA-4). */
export const enableUser = operation({
  ...switching,
  id: 'enableUser',
  command: 'enable',
  doc: 'Allows a user to sign in.',
  path: `${BASE}/{userCode}/enable`,
  request: z.strictObject({ userCode }),
  ...answersNothing,
});

/** Disables one user, given by id or name (platform contract USR-4, STA-4). */
export const disableUser = operation({
  ...switching,
  id: 'disableUser',
  command: 'disable',
  doc: 'Forbids a user to sign in.',
  path: `${BASE}/{userCode}/disable`,
  request: z.strictObject({ userCode }),
  ...answersNothing,
});

/** Enables or disables several users (platform contract USR-5). */
export const switchUsers = operation({
  method: 'PUT',
  id: 'switchUsers',
  command: 'switch',
  doc: 'Allows or forbids sign-in for several users.',
  path: `${BASE}/enable`,
  request: z.strictObject({
    codes: eitherOr('User ids, or user names; never both'),
    operation: flag('true allows sign-in, false forbids it'),
  }),
  ...answersNothing,
});

/** Lists users by conditions, by default newest first (platform contract USR-6). */
export const pageUsers = operation({
  id: 'pageUsers',
  command: 'list',
  doc: 'Lists users by conditions.',
  method: 'POST',
  path: `${BASE}/pageList`,
  retry: 'read',
  request: z.strictObject(listing),
  ...answersPage(userRecord),
});

/** Reads one user by user id or name (platform contract USR-7, INC-4, INC-19). */
export const getUser = operation({
  method: 'GET',
  id: 'getUser',
  command: 'get',
  doc: 'Reads a user.',
  path: `${BASE}/{userCode}`,
  request: z.strictObject({ userCode }),
  ...answersOne(userRecord),
});

/** Reads the user to whom the token belongs (platform contract USR-7). */
export const me = operation({
  method: 'GET',
  id: 'me',
  command: 'me',
  doc: 'Reads the user that the token stands for.',
  path: `${BASE}/me`,
  request: z.strictObject({}),
  ...answersOne(userRecord),
});
