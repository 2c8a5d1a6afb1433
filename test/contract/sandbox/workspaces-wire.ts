import type { RunningSandbox } from '../../../sandbox/index.ts';
import { type Answer, call, type Json, type ManualClock, openToken } from './support.ts';

export type Headers = Readonly<Record<string, string>>;

export const FILES = '/v1/openapi/workspace/file';
export const WORKSPACES = '/v1/openapi/workspace';
export const TYPES = '/v1/openapi/workspaceType';
/** Ids of a predefined document type and of a predefined category. */
export const DOCUMENTS = '4493041505002325001';
export const COMPANY = '4493041505002326001';

export interface NewFile {
  readonly name: string;
  readonly text: string;
}

export interface Wire {
  ask(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  /** Sends a request that must succeed. Returns the whole body of the response. */
  done(method: string, path: string, body?: unknown): Promise<Json>;
  /** Sends a request that the Open API must refuse. Returns the error message. */
  refused(method: string, path: string, body?: unknown, headers?: Headers): Promise<string>;
  upload(workspace: string, file: NewFile, fields?: Record<string, string>, headers?: Headers): Promise<Json>;
  /** Waits until the file is processed or has failed. Returns its entry in the list of files. */
  settled(workspace: string, fileId: string): Promise<Json>;
  createWorkspace(name: string, more?: Record<string, unknown>): Promise<string>;
}

export async function openWire(sandbox: RunningSandbox, now = Date.now()): Promise<Wire> {
  const admin = await openToken(sandbox, 'admin', now);
  const ask: Wire['ask'] = (method, path, body, headers = admin) =>
    call(sandbox.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const done: Wire['done'] = async (method, path, body) => {
    const answer = await ask(method, path, body);
    if (answer.status !== 200 || answer.json?.success !== true) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    }
    return answer.json;
  };
  const refused: Wire['refused'] = async (method, path, body, headers = admin) => {
    const { status, text, json } = await ask(method, path, body, headers);
    if (status !== 200 || json?.success !== false)
      throw new Error(`${method} ${path} was not refused: ${status} ${text}`);
    return json.msg;
  };
  const upload: Wire['upload'] = async (workspace, file, fields = {}, headers = admin) => {
    const form = formOf({ workspace, ...fields }, [['file', file]]);
    const answer = await call(`${sandbox.url}${FILES}/upload`, {
      body: form.body,
      headers: { ...headers, 'content-type': form.type },
    });
    return answer.json;
  };
  const settled: Wire['settled'] = async (workspace, fileId) => {
    for (let tries = 0; tries < 2000; tries += 1) {
      const { data } = await done('POST', FILES, { workspace, pageSize: 1000 });
      const item = data.find((each: Json) => each.id === fileId);
      if (item?.chunkingState === 'success' || item?.chunkingState === 'fail') return item;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`The file ${fileId} was never read.`);
  };
  const createWorkspace: Wire['createWorkspace'] = async (name, more = {}) => {
    const body = {
      name,
      workspaceTypeId: DOCUMENTS,
      classificationId: COMPANY,
      description: 'For a test',
      ...more,
    };
    return (await done('POST', `${WORKSPACES}/create`, body)).data;
  };
  return { ask, done, refused, upload, settled, createWorkspace };
}

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

/** Sends several files in one form field, as a batch upload does. */
export async function sendForm(
  sandbox: RunningSandbox,
  path: string,
  form: ReturnType<typeof formOf>,
  headers: Headers,
): Promise<Answer> {
  return await call(sandbox.url + path, {
    body: form.body,
    headers: { ...headers, 'content-type': form.type },
  });
}
