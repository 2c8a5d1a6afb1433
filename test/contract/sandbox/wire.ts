import type { RunningSandbox } from '../../../sandbox/index.ts';
import { type Answer, call, type Json, type ManualClock, openToken } from './support.ts';

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
/** Ids of a predefined document type, of a predefined category, and of the workspace `folder`. */
export const DOCUMENTS = '4493041505002325001';
export const COMPANY = '4493041505002326001';
export const FOLDER = '4493041505002320003';

export const USERS = '/v1/openapi/user';
export const ORGANIZATIONS = '/v1/openapi/organization';
export const LITE_USERS = '/lite_api/v1/iam/user/';
export const WORKSPACES = '/v1/openapi/workspace';
export const FILES = `${WORKSPACES}/file`;
export const TYPES = '/v1/openapi/workspaceType';
export const EXPERT = '/openapi/chat/expert';
export const RAG = '/v1/openapi/rag';

export interface NewFile {
  readonly name: string;
  readonly text: string;
}

/** The values that fields must have, by name of the field: for equality, or with the number of another type. */
type Conditions = Readonly<Record<string, unknown>>;
type Form = ReturnType<typeof formOf>;

export type Wire = Awaited<ReturnType<typeof openWire>>;

/** Returns functions that send requests of the Open API as the administrator, unless `headers` name someone else. */
export async function openWire(sandbox: RunningSandbox, now = Date.now()) {
  const admin = await openToken(sandbox, 'admin', now);
  const ask = (method: string, path: string, body?: unknown, headers: Headers = admin): Promise<Answer> =>
    call(sandbox.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  /** Sends a request that must succeed. Returns the whole body of the response. */
  const whole = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const { status, text, json } = await ask(method, path, body);
    if (status === 200 && json?.success === true) return json;
    throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  /** Sends a request that must succeed. Returns the `data` of the response. */
  const done = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await whole(method, path, body)).data;
  /** Sends a request that the Open API must refuse. Returns the error message. */
  const refused = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<string> => {
    const { status, text, json } = await ask(method, path, body, headers);
    if (status === 200 && json?.success === false && json.data === null) return json.msg;
    throw new Error(`${method} ${path} was not refused: ${status} ${text}`);
  };
  const send = (path: string, { type, body }: Form, headers: Headers = admin): Promise<Answer> =>
    call(sandbox.url + path, { body, headers: { ...headers, 'content-type': type } });
  const upload = async (
    workspace: string,
    file: NewFile,
    fields: Readonly<Record<string, string>> = {},
    headers?: Headers,
  ): Promise<Json> =>
    (await send(`${FILES}/upload`, formOf({ workspace, ...fields }, [['file', file]]), headers)).json;
  /** Waits until the file is processed or has failed. Returns its entry in the list of files. */
  const settled = async (workspace: string, fileId: string): Promise<Json> => {
    for (let tries = 0; tries < 2000; tries += 1) {
      const files: Json[] = await done('POST', FILES, { workspace, pageSize: 1000 });
      const item = files.find((each) => each.id === fileId);
      if (item?.chunkingState === 'success' || item?.chunkingState === 'fail') return item;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`The file ${fileId} was never read.`);
  };
  return {
    ask,
    whole,
    done,
    refused,
    /** Sends a form, such as a batch of files. */
    send,
    upload,
    settled,
    /** Uploads a file, waits until it is processed, and returns its id. */
    add: async (workspace: string, name: string, text: string): Promise<string> => {
      const { fileId } = (await upload(workspace, { name, text })).data;
      await settled(workspace, fileId);
      return fileId;
    },
    remove: (fileId: string) => done('DELETE', `${FILES}/deleteFilePhysically?id=${fileId}`),
    /** Returns the contents of a file's chunks. */
    chunks: async (fileId: string, more: object = {}): Promise<string[]> =>
      (await done('POST', `${FILES}/chunk`, { fileId, pageSize: 1000, ...more })).map(
        (chunk: Json) => chunk.content,
      ),
    /** Returns the results of a full-text search. */
    search: async (query: string, more: object = {}): Promise<Json[]> =>
      (await done('POST', RAG, { query, ragObject: 0, topk: 5, ragMode: 3, ...more })).results,
    createWorkspace: (name: string, more: object = {}): Promise<string> =>
      done('POST', `${WORKSPACES}/create`, {
        name,
        workspaceTypeId: DOCUMENTS,
        classificationId: COMPANY,
        description: 'For a test',
        ...more,
      }),
    /** Returns the names of the users that match the conditions. */
    names: async (conditions: Conditions, more: object = {}): Promise<string[]> =>
      (await done('POST', `${USERS}/pageList`, page(conditions, more))).map((row: Json) => row.userName),
  };
}

/** Returns the body of a paged request: sorted by name, first page of 20. Properties in `more` take precedence. */
export const page = (conditions: Conditions = {}, more: object = {}) => ({
  orderField: 'userName',
  orderType: 'asc',
  pageIndex: 1,
  pageSize: 20,
  conditions: Object.entries(conditions).map(([fieldName, wanted]) => {
    const [fieldValue, conditionalType] = Array.isArray(wanted) ? wanted : [wanted];
    return { fieldName, fieldValue, conditionalType };
  }),
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

/** Returns the body of a form, written by hand so that tests can also make it malformed. */
export function formOf(
  fields: Readonly<Record<string, string>>,
  files: readonly (readonly [string, NewFile])[],
  boundary = 'a-boundary',
): { readonly type: string; readonly body: Buffer } {
  const parts = [
    ...Object.entries(fields).map(
      ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
    ),
    ...files.map(
      ([field, { name, text }]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/markdown\r\n\r\n${text}\r\n`,
    ),
  ];
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
  };
}

/** Returns a clock that changes only when it is advanced. A sleep ends when the clock reaches the end of the sleep. */
export function heldClock(start = Date.UTC(2026, 0, 5, 9)): ManualClock {
  let now = start;
  let sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        if (ms <= 0 || signal.aborted) return wake();
        sleeping.push({ until: now + ms, wake });
        signal.addEventListener('abort', () => wake());
      }),
    advance: (ms) => {
      now += ms;
      const due = sleeping.filter(({ until }) => until <= now);
      sleeping = sleeping.filter(({ until }) => until > now);
      for (const { wake } of due) wake();
    },
  };
}
