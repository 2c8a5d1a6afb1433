import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { answersMany } from '../wire/answers.ts';
import { anyText, number, raw, text } from '../wire/members.ts';
import { eitherOr } from './shared.ts';

const BASE = '/v1/openapi/user';
const operation = operationsOf('roles', 'open');
const userCode = text('User id or user name').refine(
  (code) => code !== 'me',
  '"me" means the user to whom the token belongs; use `roles mine`',
);

/** A role of a user (platform contract ROL-3). Its field names start with capitals on the wire. */
const role = z.object({
  roleId: text('Id of the role').optional(),
  roleName: anyText('Name of the role').optional(),
  dataPermissionList: z
    .array(
      z.object({
        businessTreeType: number('Number of the type of the application to which the permission belongs', {
          name: 'BusinessTreeType',
        }).optional(),
        dataPermissionObjectId: text(
          'Id of the object to which the role gives access, such as a knowledge workspace',
          {
            name: 'DataPermissionObjectId',
          },
        ).optional(),
      }),
    )
    .describe('Objects to which the role gives access')
    .default([]),
  raw: raw(),
});

/** Lists the roles of the user to whom the token belongs, except inherited roles (platform contract ROL-1). */
export const myRoles = operation({
  method: 'GET',
  id: 'myRoles',
  command: 'mine',
  doc: 'Lists the roles of the user to whom the token belongs. Roles inherited from organizations are left out.',
  path: `${BASE}/me/roles`,
  request: z.strictObject({}),
  ...answersMany(role),
});

/** Lists the roles of any user, except inherited roles (platform contract ROL-1). */
export const userRoles = operation({
  method: 'GET',
  id: 'userRoles',
  command: 'list',
  doc: 'Lists the roles of a user. Roles that the user inherits from organizations are left out.',
  path: `${BASE}/{userCode}/roles`,
  request: z.strictObject({ userCode }),
  ...answersMany(role),
});

/**
 * Sets the roles of a user (platform contract ROL-2). The platform's documentation does not say whether these roles
 * replace the user's roles or are added to them. The response contains the user's resulting roles.
 */
export const setUserRoles = operation({
  id: 'setUserRoles',
  command: 'set',
  doc: 'Sets the roles of a user and returns the roles that the user then has.',
  method: 'PUT',
  path: `${BASE}/{userCode}/roles`,
  request: z.strictObject({
    userCode,
    roles: eitherOr(
      'Ids or names of the roles; one list must not contain both ids and names; an empty list removes all roles',
      { in: 'list' },
      0,
    ),
  }),
  ...answersMany(role),
});
