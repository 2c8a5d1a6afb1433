import { param } from '../http/call.ts';
import { findAll, findOne, readCodes } from '../http/codes.ts';
import { declined } from '../http/refusal.ts';
import { openReply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { changePeople, type PeopleParts, roleFinder, userFinder } from './parts.ts';
import type { Role } from './roles.ts';

const PATH = '/v1/openapi/user';
/** The type of application that a data permission opens; the sandbox has knowledge workspaces only. */
const KNOWLEDGE = 1;

/** Roles of users (platform contract ROL-1 to ROL-3). Organizations carry no roles here, so none is inherited. */
export function roleRoutes(parts: PeopleParts): readonly Route[] {
  const { gatekeeper, roles } = parts;
  return [
    {
      id: 'myRoles',
      method: 'GET',
      path: `${PATH}/me/roles`,
      face: 'open',
      handle: async (call) => {
        const mine = roles.of(gatekeeper.openAccount(call).id);
        return openReply(mine.filter((role) => role.workspaces.length > 0).map(roleView));
      },
    },
    {
      id: 'userRoles',
      method: 'GET',
      path: `${PATH}/{userCode}/roles`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAccount(call);
        const user = findOne(param(call, 'userCode'), userFinder(parts));
        return openReply(roles.of(user.id).map(roleView));
      },
    },
    {
      id: 'setUserRoles',
      method: 'PUT',
      path: `${PATH}/{userCode}/roles`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAdministrator(call, 'to write roles');
        const user = findOne(param(call, 'userCode'), userFinder(parts));
        const wanted = findAll(rolesWanted(await call.json()), roleFinder(parts));
        return openReply(
          changePeople(parts, () => {
            roles.assign(
              user.id,
              wanted.map((role) => role.id),
            );
            return roles.of(user.id).map(roleView);
          }),
        );
      },
    },
  ];
}

/** An empty array is an answer too: it takes every role away. */
function rolesWanted(body: unknown): readonly string[] {
  if (!Array.isArray(body)) throw declined('The body must be a JSON array.');
  return readCodes(body, 'The body');
}

const roleView = (role: Role) => ({
  roleId: role.id,
  roleName: role.name,
  dataPermissionList: role.workspaces.map((workspace) => ({
    BusinessTreeType: KNOWLEDGE,
    DataPermissionObjectId: workspace,
  })),
});
