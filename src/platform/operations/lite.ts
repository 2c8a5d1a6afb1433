import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { answersMany, answersNothing, answersOne } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import { anyText, files, flag, number, raw, text } from '../wire/members.ts';
import { assistantInfo, assistantMembers } from './assistant.ts';

const optionalText = (doc: string, name: string) => anyText(doc, { name }).optional();
const list = (doc: string, name: string) => wired(z.array(z.unknown()).describe(doc), { name }).optional();

/** A user of the lite interface (platform contract ADM-2). Dates are ISO 8601. */
const liteUserRecord = z.object({
  id: text('Its id'),
  username: text('User name'),
  email: anyText('E-mail address').optional(),
  realName: optionalText('Real name', 'real_name'),
  nickname: anyText('Nickname').optional(),
  isSuperuser: flag('Whether it may do everything', { name: 'is_superuser' }).optional(),
  avatar: anyText('Address of the picture').optional(),
  enable: flag('Whether it may sign in').optional(),
  isIdp: flag('Whether it comes from the identity provider', { name: 'is_{idpWord}' }).optional(),
  serialNumber: optionalText('Serial number', 'serial_number'),
  createdAt: optionalText('When it was created', 'created_at'),
  updatedAt: optionalText('When it was changed', 'updated_at'),
  lastLogin: optionalText('When it last signed in', 'last_login'),
  birthday: anyText('Birthday').optional(),
  joinTime: optionalText('When it joined', 'join_time'),
  roles: list('Its roles', 'roles'),
  userRoles: list('Its roles, as records', 'user_roles'),
  organizations: list('Its organizations', 'organizations'),
  gender: number('The number that the platform keeps').optional(),
  chatAccount: optionalText('Its messaging account', '{chat_account}'),
  region: anyText('Region').optional(),
  officePhone: optionalText('Office telephone', 'office_phone'),
  mobilePhone: optionalText('Mobile telephone', 'mobile_phone'),
  description: anyText('Description').optional(),
  timeDifference: number('Difference to the server in hours', { name: 'time_difference' }).optional(),
  raw: raw(),
});

const operation = operationsOf('lite', 'bearer');
const USER = '/lite_api/v1/iam/user';
const ROBOTS = '/lite_api/v1/robots';

/** Reads a user (platform contract ADM-2). Tried with and without the path prefix `/webapi` (ADM-1). */
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
 * Creates a user (platform contract ADM-3). The path ends with a slash; if the server does not support that, it is
 * tried without.
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
      id: text('Its id, if the platform returns it').optional(),
      username: text('User name'),
      email: anyText('E-mail address').optional(),
      realName: optionalText('Real name', 'real_name'),
      raw: raw(),
    }),
  ),
});

/** Creates an assistant (platform contract ADM-4, ADM-6 to ADM-12). The platform does not return its id. */
export const createAssistant = operation({
  id: 'createAssistant',
  command: 'create-assistant',
  doc: "Creates an assistant; its id is found in the platform's console.",
  method: 'POST',
  path: `${ROBOTS}/`,
  alternatives: [
    { on: [404], path: ROBOTS },
    { on: [404], path: `/webapi${ROBOTS}/` },
  ],
  request: z.strictObject({ info: assistantInfo, ...assistantMembers }),
  ...answersNothing,
});

/**
 * Reads an assistant (platform contract ADM-5, ADM-10). Tried as GET and as POST, because the documents mention both
 * (INC-1).
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
    internalUse: flag('Whether it is read for internal use', { name: 'internal_use' }).optional(),
  }),
  ...answersOne(
    z.object({
      info: assistantInfo
        .extend({
          id: text('Its uuid').optional(),
          manageable: flag('Whether the caller may change it').optional(),
          raw: raw(),
        })
        .describe('The assistant itself'),
      ...assistantMembers,
      raw: raw(),
    }),
  ),
});

const uploaded = z.object({
  workspaceId: text('The knowledge workspace').optional(),
  fullName: anyText('Full path of the file').optional(),
  id: text('Its id').optional(),
});

/**
 * Uploads files over the lite interface (platform contract ADM-13). The documents specify neither the encoding nor
 * the credential.
 */
export const liteUploadFiles = operation({
  id: 'liteUploadFiles',
  command: 'upload',
  doc: 'Uploads files into a knowledge workspace over the lite interface.',
  method: 'POST',
  path: '/Api/Workspace/File/UploadFiles',
  body: 'form',
  request: z.strictObject({
    workspaceId: text('Id of the knowledge workspace', { name: 'WorkspaceId' }),
    files: files('The files', { name: 'Files' }),
    fullPath: text('Full path for the file', { name: 'FullPath' }).optional(),
    isCover: flag('Whether a file of the same name is overwritten', { name: 'IsCover' }).optional(),
    userId: text('Uploads as this user', { name: 'UserId' }).optional(),
    userEmail: text('Uploads as the user with this address', { name: 'UserEmail' }).optional(),
    ocrMode: text('How text in images is read, passed on as given', { name: 'OCRMode' }).optional(),
  }),
  ...answersMany(uploaded),
});
