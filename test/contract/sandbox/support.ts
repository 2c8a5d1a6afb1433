import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { Clock } from '../../../sandbox/clock.ts';
import { type RunningSandbox, type SandboxSettings, startSandbox } from '../../../sandbox/index.ts';

export const CORPUS = new URL('../../../sandbox/corpus', import.meta.url).pathname;

const QUICK = { port: 0, memory: true, options: { paceMs: 0 } } as const;

/** Starts a sandbox in memory on a free port. Its answers come without pauses. It closes at the end of an `await using`. */
export async function start(settings: SandboxSettings = {}): Promise<RunningSandbox & AsyncDisposable> {
  const options = { ...QUICK.options, ...settings.options };
  const sandbox = await startSandbox({ ...QUICK, knowledge: [], ...settings, options });
  return { ...sandbox, [Symbol.asyncDispose]: sandbox.close };
}

/** Starts a sandbox for all tests of a file or a group, which closes after them. Resolves once it has read its documents. */
export const shared = (settings?: SandboxSettings): Promise<RunningSandbox> =>
  closedAfterwards(start(settings));

/** Like `shared`, with the documents that ship with the sandbox and the project's own. */
export const sharedShipped = (): Promise<RunningSandbox> => closedAfterwards(startSandbox(QUICK));

async function closedAfterwards(starting: Promise<RunningSandbox>): Promise<RunningSandbox> {
  const sandbox = await starting;
  afterAll(() => sandbox.close());
  await sandbox.indexed;
  return sandbox;
}

/** Makes a folder that is deleted after the test, or after what `ended` waits for. */
export function temporaryFolder(ended: (remove: () => void) => void = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'parley-sandbox-'));
  ended(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

/** Returns a clock that changes only by `advance`. Its sleeps end immediately. */
export function manualClock(start = Date.UTC(2026, 0, 5, 9)): ManualClock {
  let now = start;
  const advance = (ms: number): void => {
    now += ms;
  };
  return { now: () => now, sleep: async () => undefined, advance };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of a server's answers
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Json;
  /** True if the connection closed before the end of the answer. */
  readonly broken: boolean;
}

export interface WireRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request's body; an object is sent as JSON. */
  readonly body?: unknown;
  /** Number of bytes of the answer after which the client disconnects. */
  readonly leaveAfter?: number;
}

/** Sends a request with node:http, which does not decode, repair or follow anything. */
export function call(url: string, wire: WireRequest = {}): Promise<Answer> {
  const body =
    wire.body === undefined || typeof wire.body === 'string' || Buffer.isBuffer(wire.body)
      ? wire.body
      : JSON.stringify(wire.body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: wire.method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...wire.headers,
        },
        agent: false,
      },
      (response) => {
        const parts: Buffer[] = [];
        let size = 0;
        const done = (broken: boolean) => {
          const bytes = Buffer.concat(parts);
          const text = bytes.toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            text,
            json: parsed(text),
            broken,
          });
        };
        response.on('data', (part: Buffer) => {
          parts.push(part);
          size += part.length;
          if (wire.leaveAfter !== undefined && size >= wire.leaveAfter) {
            request.destroy();
            done(true);
          }
        });
        response.on('end', () => done(false));
        response.on('error', () => done(true));
        response.on('aborted', () => done(true));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const key = (agent: string) => ({ 'api-key': `sandbox-key-${agent}` });
export const KEY_CHAT = '/webapi/lite_api/v2/api/chat-with-bot/chat';
export const TOKEN_CHAT = '/webapi/lite_api/v2/api/chat-with-bot/';
export const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

/** Asks an agent by its key. */
export const askByKey = (sandbox: RunningSandbox, agent: string, body: unknown): Promise<Answer> =>
  call(sandbox.url + KEY_CHAT, { body, headers: key(agent) });

/** Asks an agent by its expert code. */
export const askExpert = (
  sandbox: RunningSandbox,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> => call(`${sandbox.url}/openapi/chat/expert`, { body, headers });

export function uuid(sandbox: RunningSandbox, agent: string): string {
  return sandbox.catalogue.agents.find((one) => one.name === agent)?.uuid ?? '';
}

export async function liteToken(
  sandbox: RunningSandbox,
  username = 'member-one',
): Promise<Record<string, string>> {
  const { clientId, clientSecret } = sandbox.catalogue.liteClient;
  const body = { client_id: clientId, client_secret: clientSecret, username };
  const answer = await call(`${sandbox.url}/webapi/lite_api/v1/iam/client_token`, { body });
  return { authorization: `Bearer ${answer.json.data.access_token}` };
}

/**
 * Returns the body of a signed login, whose signature is computed as the platform documents it (platform contract
 * AUT-10).
 */
export function signedLogin(now: number, changes: Record<string, unknown> = {}) {
  const nonce = String(changes.nonce ?? randomBytes(3).toString('hex'));
  const login = { client: 'sandbox-open-client', account: 'member-one', timestamp: now, nonce, ...changes };
  const plain = `client:${login.client}secret:sandbox-open-secretaccount:${login.account}timestamp:${login.timestamp}nonce:${login.nonce}`;
  return { signature: createHash('md5').update(plain).digest('hex'), ...login };
}

export async function openToken(
  sandbox: RunningSandbox,
  account = 'member-one',
  now = Date.now(),
): Promise<Record<string, string>> {
  const body = signedLogin(now, { account });
  const answer = await call(`${sandbox.url}/openapi/auth/client_with_account`, { body });
  return { authorization: `openapi ${answer.json.data.access_token}` };
}

export interface ServerEvent {
  readonly event: string;
  readonly data: Json;
}

/** Splits the text of an event stream into its events. */
export function events(text: string): ServerEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.trim() !== '' && !block.startsWith(':'))
    .map((block) => {
      const field = (name: string) =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n');
      return { event: field('event'), data: parsed(field('data')) };
    });
}

export const addFault = (sandbox: RunningSandbox, fault: Record<string, unknown>) =>
  call(`${sandbox.url}/__sandbox/faults`, { body: fault });

/** Returns a multipart/form-data request with these parts. */
export function multipart(parts: readonly { field: string; name: string; bytes: Buffer }[]): WireRequest {
  const boundary = 'parts-of-a-test';
  const chunks = parts.flatMap((part) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${part.field}"; filename="${part.name}"\r\ncontent-type: image/png\r\n\r\n`,
    ),
    part.bytes,
    Buffer.from('\r\n'),
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** A PNG image of one transparent pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
