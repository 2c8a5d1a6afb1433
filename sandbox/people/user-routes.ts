import { z } from 'zod';
import type { Fields } from '../http/json.ts';
import { type Call, noBody, operations, param, type Route } from '../http/operation.ts';
import { declined, invalid, known, liteReply, openReply } from '../http/reply.ts';
import {
  anyBody,
  code,
  codes,
  codesBody,
  declinedBy,
  flag,
  listOf,
  parse,
  record,
  requiredFlag,
  requiredText,
  someCodesBody,
  text,
} from '../http/schema.ts';
import { changePeople, type PeopleDeps } from './deps.ts';
import { pageReply, pageRequest } from './paging.ts';
import { openNames, plainProfile, profileShape, requireWhole, type WireNames } from './profile.ts';
import { liteUser, userColumns, userDetails } from './user-view.ts';
import { hashPassword, type NewUser, type Role, type User } from './users.ts';

const PATH = '/v1/openapi/user';

/**
 * Routes of users and their roles (platform contract USR-1 to USR-8, ROL-1 to ROL-3). If a call fails, it changes
 * nothing.
 */
export const userRoutes = (deps: PeopleDeps): readonly Route[] => [
  ...readingRoutes(deps),
  ...changingRoutes(deps),
  ...switchingRoutes(deps),
  ...liteUserRoutes(deps),
];

const named = (deps: PeopleDeps, call: Call): User => deps.users.pick(param(call, 'userCode'));

/** Routes that read; every enabled account may use them (platform contract USR-6, USR-7, ROL-1, ROL-3). */
function readingRoutes(deps: PeopleDeps): readonly Route[] {
  const { gatekeeper, options, users, roles } = deps;
  const open = operations('open', gatekeeper.openAccount);
  return [
    open('pageUsers', `POST ${PATH}/pageList`, pageRequest, ({ body }) =>
      pageReply(users.list(), body, userColumns(options)),
    ),
    open('me', `GET ${PATH}/me`, noBody, ({ caller }) => {
      const user = known(users.withId(caller.id), 'user of the token');
      return openReply(userDetails(user, options));
    }),
    open('getUser', `GET ${PATH}/{userCode}`, noBody, ({ call }) =>
      openReply(userDetails(named(deps, call), options)),
    ),
    open('myRoles', `GET ${PATH}/me/roles`, noBody, ({ caller }) => {
      const opening = roles.of(caller.id).filter((role) => role.workspaces.length > 0);
      return openReply(opening.map(roleView));
    }),
    open('userRoles', `GET ${PATH}/{userCode}/roles`, noBody, ({ call }) =>
      openReply(roles.of(named(deps, call).id).map(roleView)),
    ),
  ];
}

/** Number for the type of application that a data permission is about. The sandbox has only knowledge workspaces. */
const KNOWLEDGE = 1;

const roleView = (role: Role) => ({
  roleId: role.id,
  roleName: role.name,
  dataPermissionList: role.workspaces.map((workspace) => ({
    BusinessTreeType: KNOWLEDGE,
    DataPermissionObjectId: workspace,
  })),
});

/** Routes that create, replace and delete users (platform contract USR-1 to USR-3), and set their roles (ROL-2). */
function changingRoutes(deps: PeopleDeps): readonly Route[] {
  const { gatekeeper, options, roles } = deps;
  const write = operations('open', gatekeeper.administrator('to write users'));
  const writeRoles = operations('open', gatekeeper.administrator('to write roles'));
  return [
    write(
      'createUsers',
      `POST ${PATH}`,
      () => listOf(newUser(openNames(options))),
      async ({ body }) => {
        const wanted: NewUser[] = [];
        for (const { password, ...user } of body) {
          wanted.push({ ...user, password: await hashPassword(password ?? '') });
        }
        return openReply(changePeople(deps, () => wanted.map((user) => addUser(deps, user))));
      },
    ),
    write('updateUser', `PUT ${PATH}`, anyBody, ({ body }) =>
      openReply(userDetails(replaceUser(deps, body), options)),
    ),
    write('deleteUsers', `DELETE ${PATH}`, someCodesBody, ({ body }) => {
      changePeople(deps, () => {
        for (const user of deps.users.pickAll(body)) removeUser(deps, user);
      });
    }),
    // An empty array is allowed; it removes all roles.
    writeRoles('setUserRoles', `PUT ${PATH}/{userCode}/roles`, codesBody, ({ call, body }) => {
      const { id } = named(deps, call);
      const wanted = roles.pickAll(body).map((role) => role.id);
      changePeople(deps, () => roles.assign(id, wanted));
      return openReply(roles.of(id).map(roleView));
    }),
  ];
}

const newUser = (names: WireNames) =>
  record(
    {
      userName: requiredText.refine(
        (name) => name !== 'me',
        'The userName "me" is reserved, because it stands for the user to whom the token belongs.',
      ),
      password: text,
      active: flag(true),
      userInfo: z.preprocess(
        (given) => given ?? {},
        record(
          { ...profileShape(names), enable: flag(false) },
          'The parameter "userInfo" must be an object.',
          names,
        ),
      ),
    },
    'A user must be an object.',
  ).transform(({ userInfo: { enable, ...profile }, ...user }) => ({
    ...user,
    enable,
    profile: { ...profile, realName: profile.realName ?? user.userName },
  }));

function addUser({ users }: PeopleDeps, user: NewUser) {
  users.refuseTaken(user.userName);
  const { id, userId, userName, profile } = users.add(user);
  return { accountId: id, userId, userName, realName: profile.realName };
}

const locator = record({ id: code, userName: text });

function replaceUser(deps: PeopleDeps, fields: Fields): User {
  const user = locate(deps, parse(locator, fields, declinedBy));
  const names = openNames(deps.options);
  requireWhole(fields, names);
  const members = { ...profileShape(names), active: flag(user.active), enable: flag(user.enable) };
  const { active, enable, ...profile } = parse(record(members, undefined, names), fields, declinedBy);
  const whole = { ...profile, realName: profile.realName ?? user.userName };
  return changePeople(deps, () => deps.users.change({ ...user, active, enable, profile: whole }));
}

/** Returns the user, given by id, by name, or by both. An update never changes the name. */
function locate({ users }: PeopleDeps, { id, userName }: z.output<typeof locator>): User {
  if ((id ?? userName) === undefined) throw declined('One of the parameters userName and id is needed.');
  const user = users.locate(id, userName);
  if (userName !== undefined && userName !== user.userName) {
    throw declined(`The userName ${userName} does not belong to the given id. A userName cannot be changed.`);
  }
  return user;
}

function removeUser({ users, roles, organizations }: PeopleDeps, user: User): void {
  roles.assign(user.id, []);
  organizations.forget(user.id);
  users.remove(user.id);
}

/** Routes that enable and disable users (platform contract USR-4, USR-5, STA-4). */
function switchingRoutes(deps: PeopleDeps): readonly Route[] {
  const write = operations('open', deps.gatekeeper.administrator('to write users'));
  const switchAll = (users: readonly User[], enable: boolean): undefined => {
    changePeople(deps, () => {
      for (const user of users) deps.users.change({ ...user, enable });
    });
  };
  const switches = record({ operation: requiredFlag, codes });
  return [
    write('enableUser', `PUT ${PATH}/{userCode}/enable`, noBody, ({ call }) =>
      switchAll([named(deps, call)], true),
    ),
    write('disableUser', `PUT ${PATH}/{userCode}/disable`, noBody, ({ call }) =>
      switchAll([named(deps, call)], false),
    ),
    write('switchUsers', `PUT ${PATH}/enable`, switches, ({ body }) =>
      switchAll(deps.users.pickAll(body.codes), body.operation),
    ),
  ];
}

/** Routes of users in the lite interface (platform contract ADM-1 to ADM-3). */
function liteUserRoutes(deps: PeopleDeps): readonly Route[] {
  const { gatekeeper, users } = deps;
  const read = operations('lite', gatekeeper.anyAccount);
  const write = operations('lite', gatekeeper.anyAdministrator('to write users'));
  const newLiteUser = record({ username: requiredText, email: requiredText, real_name: requiredText });
  return [
    read('liteUser', 'GET /lite_api/v1/iam/user/{user_id}', noBody, ({ call }) => {
      return liteReply(liteUser(deps, users.need(param(call, 'user_id'), invalid)));
    }),
    // A new user is disabled until an administrator enables it (platform contract INC-20: defaults of users).
    write('createLiteUser', 'POST /lite_api/v1/iam/user/', newLiteUser, ({ body }) => {
      const { username, email, real_name } = body;
      if (username === 'me') throw invalid('The username "me" is reserved.');
      changePeople(deps, () => {
        users.refuseTaken(username, undefined, invalid);
        const profile = { ...plainProfile(real_name), email };
        users.add({ userName: username, password: '', active: true, enable: false, profile });
      });
      return liteReply({ username, email, real_name });
    }),
  ];
}
