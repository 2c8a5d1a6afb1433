import type { RunningSandbox } from '../../../sandbox/index.ts';
import { type Answer, call, type Json, liteToken, openToken } from './support.ts';

export type Headers = Readonly<Record<string, string>>;

/** Ids of the sandbox's predefined people. Their account ids and user ids differ. */
export const IDS = {
  admin: { account: '1493041505002321001', user: '1493041505002322001' },
  memberOne: { account: '1493041505002321002', user: '1493041505002322002' },
  memberTwo: { account: '1493041505002321003', user: '1493041505002322003' },
  company: '1493041505002324001',
  projectOffice: '1493041505002324002',
  staff: '1493041505002323002',
} as const;

export const USERS = '/v1/openapi/user';
export const ORGANIZATIONS = '/v1/openapi/organization';
export const LITE_USERS = '/lite_api/v1/iam/user/';

export interface Desk {
  /** Sends a request as the administrator, unless `headers` name someone else. */
  ask(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  /** Like `ask`, for a request that must succeed. Returns the `data` of the response. */
  done(method: string, path: string, body?: unknown): Promise<Json>;
  /** Like `ask`, for a request that the Open API must refuse. Returns the error message. */
  refused(method: string, path: string, body?: unknown, headers?: Headers): Promise<string>;
  /** Returns the names of the users that match the conditions. A condition is a field, a value and a condition type. */
  names(
    conditions: readonly (readonly [string, unknown, number?])[],
    more?: Record<string, unknown>,
  ): Promise<string[]>;
}

export async function openDesk(sandbox: RunningSandbox, now = Date.now()): Promise<Desk> {
  const admin = await openToken(sandbox, 'admin', now);
  const ask: Desk['ask'] = (method, path, body, headers = admin) =>
    call(sandbox.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const done: Desk['done'] = async (method, path, body) => {
    const answer = await ask(method, path, body);
    if (answer.status !== 200 || answer.json?.success !== true) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    }
    return answer.json.data;
  };
  const refused: Desk['refused'] = async (method, path, body, headers = admin) => {
    const { status, text, json } = await ask(method, path, body, headers);
    if (status !== 200 || json?.success !== false || json.data !== null) {
      throw new Error(`${method} ${path} was not refused: ${status} ${text}`);
    }
    return json.msg;
  };
  const names: Desk['names'] = async (conditions, more = {}) => {
    const rows: Json[] = await done('POST', `${USERS}/pageList`, page(conditions, more));
    return rows.map((row) => row.userName);
  };
  return { ask, done, refused, names };
}

/** Returns the body of a paged request: sorted by name, first page of 20. Properties in `more` take precedence. */
export const page = (
  conditions: readonly (readonly [string, unknown, number?])[] = [],
  more: Record<string, unknown> = {},
) => ({
  orderField: 'userName',
  orderType: 'asc',
  pageIndex: 1,
  pageSize: 20,
  conditions: conditions.map(([fieldName, fieldValue, conditionalType]) => ({
    fieldName,
    fieldValue,
    conditionalType,
  })),
  ...more,
});

/** Returns a user with every property that an update requires (platform contract USR-2). */
export const wholeUser = (changes: Record<string, unknown> = {}) => ({
  active: true,
  realName: 'Whole',
  spell: 'whole',
  serialNumber: '007',
  nickName: null,
  gender: 1,
  birthday: '1990-02-28',
  mobilePhone: '+1 202 555 0100',
  email: 'whole@example.com',
  chatAccount: 'whole-chat',
  avatar: '',
  region: 'North',
  joinTime: '2020-01-01T08:00:00Z',
  sort: 5,
  enable: true,
  description: 'All of it',
  external: true,
  officePhoneNumber: null,
  isIdp: true,
  ...changes,
});

export const liteAdmin = (sandbox: RunningSandbox): Promise<Headers> => liteToken(sandbox, 'admin');
