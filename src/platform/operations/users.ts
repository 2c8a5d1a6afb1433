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
  '"me" means the user to whom the token belongs; use `users me`',
);

/** The fields of a new user. The descriptions of the fields name the platform's defaults. */
const newUserInfo = {
  ...userInfo,
  realName: anyText('Real name; if absent, the platform uses the user name'),
  enable: flag('Whether the user may sign in; if absent, false'),
};

/** Creates users; always sent as a list (platform contract USR-1). */
export const createUsers = operation({
  id: 'createUsers',
  command: 'create',
  doc: 'Creates users. If the platform refuses one of the given users, it creates none of them.',
  method: 'POST',
  path: BASE,
  request: z.strictObject({
    users: wired(
      z
        .array(
          z.strictObject({
            userName: text('User name'),
            password: anyText('Password of the user', { secret: true }).default(''),
            active: flag('Whether the account is active').default(true),
            userInfo: z.strictObject(newUserInfo).partial().describe('Details of the user').optional(),
          }),
        )
        .min(1)
        .describe('The users to create'),
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
 * Replaces a user's whole record (platform contract USR-2). `changeUser` reads the record first, so that all other
 * fields are kept.
 */
export const updateUser = operation({
  id: 'updateUser',
  command: 'replace',
  doc: "Replaces a user's whole record.",
  method: 'PUT',
  path: BASE,
  request: z
    .strictObject({
      id: text('Account id by which the platform finds the user').optional(),
      userName: text('User name by which the platform finds the user; an update cannot change it').optional(),
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
  doc: 'Permanently deletes users, named by their ids or by their user names.',
  method: 'DELETE',
  path: BASE,
  destroys: true,
  request: z.strictObject({
    users: eitherOr('User ids or user names; one list must not contain both', { in: 'list' }),
  }),
  ...answersNothing,
});

/** Describes how one user, given by id or name, is enabled or disabled (platform contract USR-4, STA-4). */
const switchOperation = (id: string, command: 'enable' | 'disable', doc: string) =>
  operation({
    id,
    command,
    doc,
    method: 'PUT',
    body: 'none',
    path: `${BASE}/{userCode}/${command}`,
    request: z.strictObject({ userCode }),
    ...answersNothing,
  });
export const enableUser = switchOperation('enableUser', 'enable', 'Allows a user to sign in.');
export const disableUser = switchOperation('disableUser', 'disable', 'Forbids a user to sign in.');

/** Enables or disables several users (platform contract USR-5). */
export const switchUsers = operation({
  method: 'PUT',
  id: 'switchUsers',
  command: 'switch',
  doc: 'Allows or forbids several users to sign in.',
  path: `${BASE}/enable`,
  request: z.strictObject({
    codes: eitherOr('User ids or user names; one list must not contain both'),
    operation: flag('true allows the users to sign in, false forbids it'),
  }),
  ...answersNothing,
});

/** Lists users by conditions, by default newest first (platform contract USR-6). */
export const pageUsers = operation({
  id: 'pageUsers',
  command: 'list',
  doc: 'Lists the users that match all given conditions.',
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
  doc: 'Reads the user to whom the token belongs.',
  path: `${BASE}/me`,
  request: z.strictObject({}),
  ...answersOne(userRecord),
});
