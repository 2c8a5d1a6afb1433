import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { answersMany } from '../wire/answers.ts';
import { anyText, number, raw, text } from '../wire/members.ts';
import { eitherOr } from './shared.ts';

const BASE = '/v1/openapi/user';
const operation = operationsOf('roles', 'open');
const userCode = text('User id or user name').refine(
  (code) => code !== 'me',
  '"me" means the user of the token; use `roles mine`',
);

/** A role of a user (platform contract ROL-3). Its member names start with capitals on the wire. */
const role = z.object({
  roleId: text('Id of the role').optional(),
  roleName: anyText('Name of the role').optional(),
  dataPermissionList: z
    .array(
      z.object({
        businessTreeType: number('Type of the application to which the permission belongs, as a number', {
          name: 'BusinessTreeType',
        }).optional(),
        dataPermissionObjectId: text('Id of what the role gives access to, such as a knowledge workspace', {
          name: 'DataPermissionObjectId',
        }).optional(),
      }),
    )
    .describe('What the role gives access to')
    .default([]),
  raw: raw(),
});

/** Lists the roles of the token's user, without inherited ones (platform contract ROL-1). */
export const myRoles = operation({
  method: 'GET',
  id: 'myRoles',
  command: 'mine',
  doc: 'Lists the roles of the user that the token stands for, without those inherited from organizations.',
  path: `${BASE}/me/roles`,
  request: z.strictObject({}),
  ...answersMany(role),
});

/** Lists the roles of any user, without inherited ones (platform contract ROL-1). */
export const userRoles = operation({
  method: 'GET',
  id: 'userRoles',
  command: 'list',
  doc: 'Lists the roles of a user.',
  path: `${BASE}/{userCode}/roles`,
  request: z.strictObject({ userCode }),
  ...answersMany(role),
});

/**
 * Sets the roles of a user (platform contract ROL-2). The documents do not say whether these roles replace the user's
 * roles or are added to them; the answer contains the result.
 */
export const setUserRoles = operation({
  id: 'setUserRoles',
  command: 'set',
  doc: 'Sets the roles of a user and returns the new roles.',
  method: 'PUT',
  path: `${BASE}/{userCode}/roles`,
  request: z.strictObject({
    userCode,
    roles: eitherOr('Role ids, or role names; never both', { in: 'list' }),
  }),
  ...answersMany(role),
});
