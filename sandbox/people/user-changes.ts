import { param } from '../http/call.ts';
import { codeMember, codesMember, findAll, findOne, readCodes } from '../http/codes.ts';
import { asFields, type Fields } from '../http/fields.ts';
import {
  arrayBody,
  flagMember,
  member,
  objectBody,
  requiredMember,
  textMember,
} from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { changePeople, type PeopleParts, userFinder } from './parts.ts';
import { hashPassword } from './password.ts';
import { openNames, readProfile, requireWhole, type WireNames } from './profile.ts';
import { userDetails } from './user-view.ts';
import type { NewUser, User } from './users.ts';

const PATH = '/v1/openapi/user';
const PERMISSION = 'to write users';

/** Creating, replacing and deleting users (platform contract USR-1 to USR-3). Each call counts whole or not at all. */
export function userChangeRoutes(parts: PeopleParts): readonly Route[] {
  const { gatekeeper, options } = parts;
  return [
    {
      id: 'createUsers',
      method: 'POST',
      path: PATH,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAdministrator(call, PERMISSION);
        const names = openNames(options);
        const wanted = (await arrayBody(call)).map((each) => readNewUser(each, names));
        const users: NewUser[] = [];
        for (const { password, ...user } of wanted) {
          users.push({ ...user, passwordHash: await hashPassword(password) });
        }
        return openReply(changePeople(parts, () => users.map((user) => addUser(parts, user))));
      },
    },
    {
      id: 'updateUser',
      method: 'PUT',
      path: PATH,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAdministrator(call, PERMISSION);
        const user = replaceUser(parts, await objectBody(call));
        return openReply(userDetails(user, options));
      },
    },
    {
      id: 'deleteUsers',
      method: 'DELETE',
      path: PATH,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAdministrator(call, PERMISSION);
        const codes = readCodes(await arrayBody(call), 'The body');
        changePeople(parts, () => {
          for (const user of findAll(codes, userFinder(parts))) removeUser(parts, user);
        });
        return openReply(null);
      },
    },
  ];
}

/** Switching users on and off (platform contract USR-4, USR-5, STA-4). */
export function userSwitchRoutes(parts: PeopleParts): readonly Route[] {
  const { gatekeeper } = parts;
  const switchAll = (users: readonly User[], enable: boolean) =>
    changePeople(parts, () => {
      for (const user of users) parts.users.change({ ...user, enable });
    });
  const switchOne = (word: 'enable' | 'disable'): Route => ({
    id: `${word}User`,
    method: 'PUT',
    path: `${PATH}/{userCode}/${word}`,
    face: 'open',
    handle: async (call) => {
      gatekeeper.openAdministrator(call, PERMISSION);
      switchAll([findOne(param(call, 'userCode'), userFinder(parts))], word === 'enable');
      return openReply(null);
    },
  });
  return [
    switchOne('enable'),
    switchOne('disable'),
    {
      id: 'switchUsers',
      method: 'PUT',
      path: `${PATH}/enable`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAdministrator(call, PERMISSION);
        const fields = await objectBody(call);
        const operation = member(fields, 'operation');
        if (typeof operation !== 'boolean') throw declined('The parameter operation must be true or false.');
        switchAll(findAll(codesMember(fields, 'codes'), userFinder(parts)), operation);
        return openReply(null);
      },
    },
  ];
}

type WantedUser = Omit<NewUser, 'passwordHash'> & { readonly password: string };

function readNewUser(value: unknown, names: WireNames): WantedUser {
  const fields = asFields(value);
  if (fields === undefined) throw declined('A user must be an object.');
  const userName = requiredMember(fields, 'userName');
  if (userName === 'me') throw declined('The userName me is reserved: it names the user of the token.');
  const info = member(fields, 'userInfo') ?? {};
  const userInfo = asFields(info);
  if (userInfo === undefined) throw declined('The parameter userInfo must be an object.');
  return {
    userName,
    password: textMember(fields, 'password') ?? '',
    active: flagMember(fields, 'active', true),
    enable: flagMember(userInfo, 'enable', false),
    profile: readProfile(userInfo, names, userName),
  };
}

function addUser({ users }: PeopleParts, user: NewUser) {
  if (users.named(user.userName) !== undefined) {
    throw declined(`The userName ${user.userName} is already in use.`);
  }
  const { id, userId, userName, profile } = users.add(user);
  return { accountId: id, userId, userName, realName: profile.realName };
}

function replaceUser(parts: PeopleParts, fields: Fields): User {
  const user = locate(parts, fields);
  const names = openNames(parts.options);
  requireWhole(fields, names);
  const changed = {
    active: flagMember(fields, 'active', user.active),
    enable: flagMember(fields, 'enable', user.enable),
    profile: readProfile(fields, names, user.userName),
  };
  return changePeople(parts, () => parts.users.change({ ...user, ...changed }));
}

/** The user by id, name or both; the name only locates and is not changed. */
function locate({ users }: PeopleParts, fields: Fields): User {
  const id = codeMember(fields, 'id');
  const userName = textMember(fields, 'userName');
  const code = id ?? userName;
  if (code === undefined) throw declined('One of the parameters userName and id is missing.');
  const user = id === undefined ? users.named(code) : users.withId(code);
  if (user === undefined) throw declined(`The user ${code} is unknown.`);
  if (userName !== undefined && userName !== user.userName) {
    throw declined(`The userName ${userName} is not the one of the id: it cannot be changed.`);
  }
  return user;
}

function removeUser({ users, roles, organizations }: PeopleParts, user: User): void {
  roles.assign(user.id, []);
  organizations.forget(user.id);
  users.remove(user.id);
}
