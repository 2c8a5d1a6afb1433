import type { z } from 'zod';
import { BridgeError } from '../errors.ts';
import { joinPath } from './base-url.ts';
import { errorText, refusalOf } from './envelope.ts';
import { failureOf } from './failure.ts';
import { tryJson } from './json.ts';
import { MAX_ERROR_BYTES, MAX_JSON_BYTES } from './limits.ts';
import type { Alternative, Described, Method, Operation } from './operation.ts';
import { oneLine } from './redact.ts';
import { parseRetryAfter } from './retry.ts';
import { isFields } from './shapes.ts';
import type { WireAnswer } from './transport.ts';
import { type FormBody, type FormPart, formBody } from './wire/form.ts';
import { fillPath, type WireParts, wireParts } from './wire/parts.ts';
import type { Progress, Wiring } from './wiring.ts';

interface OpenTicket {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly firstByteMs: number;
  readonly accept: string;
  /** Set where a redirect is an answer of its own; it is returned, never followed. */
  readonly redirects?: 'returned';
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Sends one request of an operation; the answer's status is a success and its body unread. Where a server lacks the
 * documented form of the operation, its other forms are tried, and the one that it took is remembered.
 */
export async function open<Schema extends z.ZodObject>(
  wiring: Wiring,
  operation: Operation<Schema, unknown>,
  request: z.input<Schema>,
  ticket: OpenTicket,
): Promise<WireAnswer> {
  const forms = formsOf(wiring, operation);
  for (const [index, form] of forms.entries()) {
    const parts = wireParts(
      { ...operation, ...form, body: bodyOf(operation, form) },
      request,
      wiring.deployment,
    );
    const answer = await sendForm(wiring, operation.id, { ...form, parts }, ticket);
    const last = ticket.redirects === 'returned' ? 399 : 299;
    if (answer.status >= 200 && answer.status <= last) {
      remember(wiring, operation, form);
      return answer;
    }
    const error = await failed(wiring, answer, ticket.headers);
    if (!forms.slice(index + 1).some((other) => other.follows(error))) throw error;
  }
  throw new BridgeError('internal', `${operation.id} has no form.`);
}

/**
 * Returns the encoding of the body. The query of a GET goes into the body of the POST that replaces it (platform
 * contract ADM-5).
 */
function bodyOf(operation: Described, form: Form): Described['body'] {
  return operation.method === 'GET' && form.method === 'POST' ? 'json' : operation.body;
}

interface SentForm {
  readonly method: Method;
  readonly path: string;
  readonly parts: WireParts;
}

function sendForm(
  wiring: Wiring,
  operation: string,
  { method, path, parts }: SentForm,
  ticket: OpenTicket,
): Promise<WireAnswer> {
  for (const part of parts.form ?? []) refuseTooLarge(wiring, operation, part);
  const form = parts.form && formBody(parts.form, boundary(wiring));
  const json = parts.json === undefined ? undefined : JSON.stringify(parts.json);
  const type = form?.type ?? (json === undefined ? undefined : 'application/json; charset=utf-8');
  return wiring.transport.send({
    operation,
    method,
    url: joinPath(wiring.base, fillPath(path, withWord(wiring, parts))),
    headers: {
      accept: ticket.accept,
      ...(type !== undefined && { 'content-type': type }),
      ...parts.headers,
      ...ticket.headers,
    },
    body: form === undefined ? json : watched(form, ticket.onProgress),
    firstByteMs: ticket.firstByteMs,
    signal: ticket.signal,
  });
}

function refuseTooLarge({ maxUploadBytes }: Wiring, operation: string, part: FormPart): void {
  if ('text' in part || part.file.size <= maxUploadBytes) return;
  const { name, size } = part.file;
  throw new BridgeError(
    'platform-parameter',
    `${operation} was not sent: ${oneLine(name, 120)} has ${size} bytes; at most ${maxUploadBytes} are uploaded (platform.maxUploadBytes).`,
    { facts: { operation, limit: maxUploadBytes } },
  );
}

/** Random, so that no file of ours is likely to hold it. */
function boundary({ random }: Wiring): string {
  return `parley-${Array.from({ length: 4 }, () => random().toString(36).slice(2, 10)).join('')}`;
}

function withWord({ deployment }: Wiring, parts: WireParts): WireParts {
  return { ...parts, path: { idpWord: deployment.idpWord, ...parts.path } };
}

function watched(form: FormBody, onProgress: OpenTicket['onProgress']): FormBody {
  if (onProgress === undefined) return form;
  return {
    ...form,
    async *bytes() {
      let sent = 0;
      for await (const chunk of form.bytes()) {
        yield chunk;
        sent += chunk.byteLength;
        onProgress({ sent, total: form.length });
      }
    },
  };
}

/** The error of an answer that is no success; reads its body as far as it may matter. */
export async function failed(
  wiring: Wiring,
  answer: WireAnswer,
  headers: Readonly<Record<string, string>>,
): Promise<BridgeError> {
  if (answer.status >= 300 && answer.status < 400) {
    answer.discard();
    return unreadable(
      answer,
      'is a redirect, which is never followed with credentials; check the base address',
    );
  }
  const text = await readText(answer, MAX_ERROR_BYTES).catch((error: unknown) => {
    if (error instanceof BridgeError) return '';
    throw error;
  });
  return refused(wiring, answer, refusalText(answer, text), headers);
}

interface RefusalText {
  readonly text: string;
  readonly code?: number;
  /** True if it came in the platform's envelope, and not from a proxy in front of it. */
  readonly enveloped?: boolean;
}

function refusalText(answer: WireAnswer, text: string): RefusalText {
  const body = tryJson(text);
  const html = /^\s*</.test(text) || /html/.test(answer.headers['content-type'] ?? '');
  if (body === undefined) return { text: html ? '' : text.trim() };
  const enveloped = isFields(body) && ('success' in body || 'code' in body);
  return { ...(refusalOf(body) ?? { text: errorText(body) }), enveloped };
}

export function refused(
  wiring: Wiring,
  answer: WireAnswer,
  refusal: RefusalText,
  headers: Readonly<Record<string, string>>,
): BridgeError {
  const date = Date.parse(answer.headers.date ?? '');
  return failureOf({
    operation: answer.operation,
    status: answer.status,
    refusal,
    retryAfterMs: parseRetryAfter(answer.headers['retry-after'], wiring.clock.now()),
    serverTime: Number.isNaN(date) ? undefined : date,
    secrets: secretsIn(headers),
    authPattern: wiring.authPattern,
  });
}

/** Returns the secrets in these headers, so that an error never repeats them. */
function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return ['authorization', 'api-key']
    .flatMap((name) => (headers[name] ?? '').split(' '))
    .filter((part) => part.length > 7);
}

export async function readJson(answer: WireAnswer): Promise<unknown> {
  const text = await readText(answer, MAX_JSON_BYTES);
  const body = tryJson(text);
  if (body === undefined) throw unreadable(answer, 'is not JSON');
  return body;
}

export async function readBytes(answer: WireAnswer, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.bytes(limit)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readText(answer: WireAnswer, limit: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(answer, limit));
}

export function unreadable(answer: Pick<WireAnswer, 'operation' | 'status'>, fault: string): BridgeError {
  return new BridgeError('platform-protocol', `The answer to ${answer.operation} ${fault}.`, {
    facts: { operation: answer.operation, httpStatus: answer.status },
  });
}

/** One form in which a server may know an operation. */
interface Form {
  readonly method: Method;
  readonly path: string;
  /** True if it is worth trying after this failure of the previous form. */
  follows(error: BridgeError): boolean;
}

/** The forms of an operation, the one that the server took before at first (platform contract ADM-1, ADM-3, ADM-5). */
function formsOf(wiring: Wiring, operation: Described): readonly Form[] {
  const path = wiring.paths[operation.id] ?? prefixed(operation.path, wiring);
  const documented: Form = { method: operation.method, path, follows: () => false };
  const settled = path !== operation.path;
  const others = settled
    ? (operation.alternatives ?? []).filter((other) => other.path === undefined)
    : (operation.alternatives ?? []);
  const forms = [documented, ...others.map((other) => formOf(documented, other))];
  const known = forms[wiring.forms.get(operation.id) ?? 0];
  return known === undefined || known === documented ? forms : [known];
}

const formOf = (documented: Form, { on, method, path }: Alternative): Form => ({
  method: method ?? documented.method,
  path: path ?? documented.path,
  follows: ({ facts }) =>
    on.includes(Number(facts.httpStatus)) && !(facts.httpStatus === 404 && facts.enveloped === true),
});

/** The lite administration under the prefix that the deployment is known to use (platform contract ADM-1). */
function prefixed(path: string, { deployment }: Wiring): string {
  const { liteAdminPrefix } = deployment;
  return liteAdminPrefix !== undefined && path.startsWith('/lite_api/') ? liteAdminPrefix + path : path;
}

/** Keeps which form succeeded; only what succeeded is remembered. */
function remember(wiring: Wiring, operation: Described, form: Pick<Form, 'method' | 'path'>): void {
  if (operation.alternatives === undefined || wiring.forms.has(operation.id)) return;
  const index = formsOf(wiring, operation).findIndex(
    ({ method, path }) => method === form.method && path === form.path,
  );
  wiring.forms.set(operation.id, index);
}
