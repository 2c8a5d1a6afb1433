import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { asFields } from '../shapes.ts';
import { answersMany, answersNothing, answersOne } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import { anyText, files, flag, number, raw, text } from '../wire/members.ts';
import { assistantInfo, assistantMembers } from './assistant.ts';

const optionalText = (doc: string, name: string) => anyText(doc, { name }).optional();
const list = (doc: string, name: string) => wired(z.array(z.unknown()).describe(doc), { name }).optional();

/** A user of the lite interface (platform contract ADM-2). Dates are ISO 8601. */
const liteUserRecord = z.object({
  id: text('Id of the user'),
  username: text('User name'),
  email: anyText('E-mail address').optional(),
  realName: optionalText('Real name', 'real_name'),
  nickname: anyText('Nickname').optional(),
  isSuperuser: flag('Whether the user may do everything', { name: 'is_superuser' }).optional(),
  avatar: anyText('Address of the picture of the user').optional(),
  enable: flag('Whether the user may sign in').optional(),
  isIdp: flag('Whether the user comes from the identity provider', { name: 'is_{idpWord}' }).optional(),
  serialNumber: optionalText('Serial number of the user on the platform', 'serial_number'),
  createdAt: optionalText('When the user was created', 'created_at'),
  updatedAt: optionalText('When the user was last changed', 'updated_at'),
  lastLogin: optionalText('When the user last signed in', 'last_login'),
  birthday: anyText('Birthday').optional(),
  joinTime: optionalText('When the person joined', 'join_time'),
  roles: list('Roles of the user', 'roles'),
  userRoles: list('Roles of the user, as records', 'user_roles'),
  organizations: list('Organizations of the user', 'organizations'),
  gender: number('Gender, as the number that the platform stores').optional(),
  chatAccount: optionalText('Messaging account of the user', '{chat_account}'),
  region: anyText('Region').optional(),
  officePhone: optionalText('Number of the office telephone', 'office_phone'),
  mobilePhone: optionalText('Number of the mobile telephone', 'mobile_phone'),
  description: anyText('Description of the user').optional(),
  timeDifference: number('Difference between the time of the user and the time of the server, in hours', {
    name: 'time_difference',
  }).optional(),
  raw: raw(),
});

const operation = operationsOf('lite', 'bearer');
const USER = '/lite_api/v1/iam/user';
const ROBOTS = '/lite_api/v1/robots';

/**
 * Reads a user (platform contract ADM-2). The client tries the path without the prefix `/webapi`, then with it
 * (ADM-1).
 */
export const liteUser = operation({
  id: 'liteUser',
  command: 'user',
  doc: 'Reads a user of the lite interface.',
  method: 'GET',
  path: `${USER}/{user_id}`,
  alternatives: [{ on: [404], path: `/webapi${USER}/{user_id}` }],
  request: z.strictObject({ userId: text('Id of the user', { name: 'user_id' }) }),
  ...answersOne(liteUserRecord),
});

/**
 * Creates a user (platform contract ADM-3). The path ends with a slash. If the server responds with 404, the client
 * tries the path without the slash, then with the prefix `/webapi`.
 */
export const createLiteUser = operation({
  id: 'createLiteUser',
  command: 'create-user',
  doc: 'Creates a user of the lite interface.',
  method: 'POST',
  path: `${USER}/`,
  alternatives: [
    { on: [404], path: USER },
    { on: [404], path: `/webapi${USER}/` },
  ],
  request: z.strictObject({
    username: text('User name'),
    email: text('E-mail address'),
    realName: text('Real name', { name: 'real_name' }),
  }),
  ...answersOne(
    z.object({
      id: text('Id of the user, if the platform returns it').optional(),
      username: text('User name'),
      email: anyText('E-mail address').optional(),
      realName: optionalText('Real name', 'real_name'),
      raw: raw(),
    }),
  ),
});

/** Creates an assistant (platform contract ADM-4, ADM-6 to ADM-12). The platform does not return the assistant's id. */
export const createAssistant = operation({
  id: 'createAssistant',
  command: 'create-assistant',
  doc: "Creates an assistant. The platform's console shows the id of the new assistant.",
  method: 'POST',
  path: `${ROBOTS}/`,
  alternatives: [
    { on: [404], path: ROBOTS },
    { on: [404], path: `/webapi${ROBOTS}/` },
  ],
  confirmedBy: 'code',
  request: z.strictObject({ info: assistantInfo, ...assistantMembers }),
  // A record that was read contains two fields that only the platform sets (platform contract ADM-10).
  adapt: (parts) => ({ ...parts, json: withoutReadOnly(parts.json) }),
  ...answersNothing,
});

function withoutReadOnly(json: unknown): unknown {
  const body = asFields(json) ?? {};
  const { id: _id, manageable: _manageable, ...info } = asFields(body.info) ?? {};
  return { ...body, info };
}

/**
 * Reads an assistant (platform contract ADM-5, ADM-10). The client tries GET, then POST, because the platform's
 * documentation mentions both (INC-1).
 */
export const getAssistant = operation({
  id: 'getAssistant',
  command: 'assistant',
  doc: 'Reads an assistant.',
  method: 'GET',
  path: `${ROBOTS}/{robot_id}`,
  alternatives: [
    { on: [405, 501], method: 'POST' },
    { on: [404], path: `/webapi${ROBOTS}/{robot_id}` },
    { on: [405, 501], method: 'POST', path: `/webapi${ROBOTS}/{robot_id}` },
  ],
  request: z.strictObject({
    robotId: text('Id of the assistant', { name: 'robot_id' }),
    internalUse: flag('Whether the caller reads the assistant for internal use', {
      name: 'internal_use',
    }).optional(),
  }),
  ...answersOne(
    z.object({
      info: assistantInfo
        .extend({
          id: text('Uuid of the assistant').optional(),
          manageable: flag('Whether the caller may change the assistant').optional(),
          raw: raw(),
        })
        .describe('Settings of the assistant'),
      ...assistantMembers,
      raw: raw(),
    }),
  ),
});

const uploaded = z.object({
  workspaceId: text('Id of the knowledge workspace').optional(),
  fullName: anyText('Full path of the file').optional(),
  id: text('Id of the file').optional(),
});

/**
 * Uploads files over the lite interface (platform contract ADM-13). The platform's documentation does not say which
 * encoding and which credential the upload needs.
 */
export const liteUploadFiles = operation({
  id: 'liteUploadFiles',
  command: 'upload',
  doc: 'Uploads files into a knowledge workspace through the lite interface.',
  method: 'POST',
  path: '/Api/Workspace/File/UploadFiles',
  body: 'form',
  confirmedBy: 'success',
  request: z.strictObject({
    workspaceId: text('Id of the knowledge workspace', { name: 'WorkspaceId' }),
    files: files('The files to upload', { name: 'Files' }),
    fullPath: text('Path that the file gets in the workspace', { name: 'FullPath' }).optional(),
    isCover: flag('Whether the upload overwrites a file of the same name in the workspace', {
      name: 'IsCover',
    }).optional(),
    userId: text('Id of the user who uploads the files', { name: 'UserId' }).optional(),
    userEmail: text('E-mail address of the user who uploads the files', { name: 'UserEmail' }).optional(),
    ocrMode: text('How the platform reads text in images; the client passes this value on unchanged', {
      name: 'OCRMode',
    }).optional(),
  }),
  ...answersMany(uploaded),
});
