import type { z } from 'zod';
import { BridgeError } from '../errors.ts';
import { joinPath } from './base-url.ts';
import { decoderFor } from './charset.ts';
import { errorText, type Refusal, refusalOf, successOf } from './envelope.ts';
import { callError, failureOf } from './failure.ts';
import { tryJson } from './json.ts';
import { MAX_ERROR_BYTES } from './limits.ts';
import type { Alternative, Described, Form, Operation } from './operation.ts';
import { oneLine } from './redact.ts';
import { parseRetryAfter } from './retry.ts';
import { finderIn, isFields } from './shapes.ts';
import type { WireAnswer, WireRequest } from './transport.ts';
import { type FormBody, type FormPart, formBody } from './wire/form.ts';
import { fillPath, type WireParts, wireParts } from './wire/parts.ts';
import type { Progress, Wiring } from './wiring.ts';
import { EXPECTS_TLS } from './wrong-address.ts';

interface OpenTicket {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly firstByteMs: number;
  readonly accept: string;
  /**
   * Set if a redirect is a valid response, which the call then returns. If absent, a redirect is an error. Redirects
   * are never followed.
   */
  readonly redirects?: 'returned';
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly maySend?: WireRequest['maySend'];
}

/**
 * Sends one request and returns the successful response with an unread body. If the server does not support the
 * documented method or path of the operation, tries the alternatives and remembers the one that worked.
 */
export async function open<Schema extends z.ZodObject>(
  wiring: Wiring,
  operation: Operation<Schema, unknown>,
  request: z.input<Schema>,
  ticket: OpenTicket,
): Promise<WireAnswer> {
  const forms = wiring.forms.get(operation.id) ?? formsOf(wiring, operation);
  for (const [index, form] of forms.entries()) {
    const parts = wireParts({ ...operation, ...form }, request, wiring.deployment);
    const answer = await sendForm(wiring, operation.id, { ...form, parts }, ticket);
    const last = ticket.redirects === 'returned' ? 399 : 299;
    if (answer.status >= 200 && answer.status <= last) {
      if (!wiring.forms.has(operation.id)) wiring.forms.set(operation.id, index === 0 ? forms : [form]);
      return answer;
    }
    const error = await failed(wiring, answer, { ...ticket.headers, ...request });
    if (!forms.slice(index + 1).some((other) => other.follows(error))) throw error;
  }
  throw new BridgeError('internal', `The operation ${operation.id} has no method and path.`);
}

function sendForm(
  wiring: Wiring,
  operation: string,
  { method, path, parts }: Form & { readonly parts: WireParts },
  ticket: OpenTicket,
): Promise<WireAnswer> {
  for (const part of parts.form ?? []) refuseTooLarge(wiring, operation, part);
  const form = parts.form && formBody(parts.form, boundary(wiring));
  const json = parts.json === undefined ? undefined : JSON.stringify(parts.json);
  const type = form?.type ?? (json === undefined ? undefined : 'application/json; charset=utf-8');
  const { idpWord } = wiring.deployment;
  return wiring.transport.send({
    operation,
    method,
    url: joinPath(wiring.base, fillPath(path, { ...parts, path: { idpWord, ...parts.path } })),
    template: path,
    headers: {
      accept: ticket.accept,
      ...(type !== undefined && { 'content-type': type }),
      ...parts.headers,
      ...ticket.headers,
    },
    body: form === undefined ? json : watched(form, ticket.onProgress),
    firstByteMs: ticket.firstByteMs,
    signal: ticket.signal,
    maySend: ticket.maySend,
  });
}

function refuseTooLarge({ maxUploadBytes }: Wiring, operation: string, part: FormPart): void {
  if ('text' in part || part.file.size <= maxUploadBytes) return;
  const { name, size } = part.file;
  throw callError(
    'platform-parameter',
    operation,
    `${operation} was not sent: ${oneLine(name, 120)} has ${size} bytes; at most ${maxUploadBytes} are uploaded (platform.maxUploadBytes).`,
    { limit: maxUploadBytes },
  );
}

/** Returns the boundary between the parts of a form. It is random, so that a file is unlikely to contain it. */
function boundary({ random }: Wiring): string {
  return `parley-${Array.from({ length: 4 }, () => random().toString(36).slice(2, 10)).join('')}`;
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

/** Returns the error for a response without a success status. Does not read bodies of more than 64 KiB. */
export async function failed(
  wiring: Wiring,
  answer: WireAnswer,
  sent: Readonly<Record<string, unknown>>,
): Promise<BridgeError> {
  if (answer.status >= 300 && answer.status < 400) {
    answer.discard();
    const target = URL.parse(answer.headers.location ?? '', wiring.base.address);
    const redirect = target === null ? 'an unreadable address' : target.origin + target.pathname;
    return unreadable(answer, 'is a redirect, which is never followed with credentials', { redirect });
  }
  const text = await readText(answer, MAX_ERROR_BYTES).catch((error: unknown) => {
    if (error instanceof BridgeError) return '';
    throw error;
  });
  if (EXPECTS_TLS.test(text)) return unreadable(answer, 'says that the port expects TLS', { tls: true });
  return refused(wiring, answer, refusalText(answer, text), sent);
}

/** Returns an error if the response is a web page in place of JSON. */
export function pageInstead(answer: WireAnswer, text: string): BridgeError | undefined {
  if (!/^\s*</.test(text)) return undefined;
  return unreadable(answer, 'is a web page', { page: true });
}

function refusalText(answer: WireAnswer, text: string): Refusal {
  const body = tryJson(text);
  const html = /^\s*</.test(text) || /html/.test(answer.headers['content-type'] ?? '');
  if (body === undefined) return { text: html ? '' : text.trim() };
  const enveloped =
    isFields(body) && (successOf(body) !== undefined || finderIn(body)(['code']) !== undefined);
  return { ...(refusalOf(body) ?? { text: errorText(body) }), enveloped };
}

export function refused(
  wiring: Wiring,
  answer: WireAnswer,
  refusal: Refusal,
  sent: Readonly<Record<string, unknown>>,
): BridgeError {
  const date = Date.parse(answer.headers.date ?? '');
  return failureOf({
    operation: answer.operation,
    status: answer.status,
    refusal,
    retryAfterMs: parseRetryAfter(answer.headers['retry-after'], wiring.clock.now()),
    serverTime: Number.isNaN(date) ? undefined : date,
    secrets: secretsIn(sent),
    authPattern: wiring.authPattern,
  });
}

/** Returns the secrets in these headers and members of a request, so that they can be masked in errors. */
function secretsIn(sent: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(sent)
    .filter(([name]) => /^(?:authorization|api-key|token|signature|clientSecret)$/.test(name))
    .flatMap(([, value]) => String(value).split(' '))
    .filter((part) => part.length > 7);
}

export async function readBytes(answer: WireAnswer, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.bytes(limit)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readText(answer: WireAnswer, limit: number): Promise<string> {
  const decoder = decoderFor(answer.headers['content-type'], 'fatal');
  if (decoder === undefined) {
    answer.discard();
    throw unreadable(answer, 'has a charset that the bridge cannot read');
  }
  const bytes = await readBytes(answer, limit);
  try {
    return decoder.decode(bytes);
  } catch {
    throw unreadable(answer, `is not ${decoder.encoding}, which its content type promises`);
  }
}

export function unreadable(
  answer: Pick<WireAnswer, 'operation' | 'status'>,
  fault: string,
  more: BridgeError['facts'] = {},
): BridgeError {
  const { operation, status } = answer;
  const message = `The answer to ${operation} ${fault}.`;
  return callError('platform-protocol', operation, message, { httpStatus: status, ...more });
}

/**
 * Returns the methods and paths to try for an operation, the documented one first (platform contract ADM-1, ADM-3,
 * ADM-5). If a POST replaces a GET, the query parameters move into the body.
 */
function formsOf(wiring: Wiring, operation: Described): readonly Form[] {
  const { method, body } = operation;
  const path = wiring.paths[operation.id] ?? prefixed(operation.path, wiring);
  const others = alternativesOf(wiring, operation);
  const formOf = (other: Alternative): Form => ({
    method: other.method ?? method,
    path: other.path ?? path,
    body: method === 'GET' && other.method === 'POST' ? 'json' : body,
    follows: ({ facts }) =>
      other.on.includes(Number(facts.httpStatus)) && !(facts.httpStatus === 404 && facts.enveloped === true),
  });
  return [{ method, path, body, follows: () => false }, ...others.map(formOf)];
}

/**
 * Returns the alternative forms of a request. If the settings contain the operation's path, leaves out alternatives
 * with a path of their own. If they contain a path prefix, adds it to the paths of the alternatives.
 */
function alternativesOf(wiring: Wiring, { id, path, alternatives = [] }: Described): readonly Alternative[] {
  if (wiring.paths[id] !== undefined) return alternatives.filter((other) => other.path === undefined);
  if (wiring.deployment.liteAdminPrefix === undefined || !path.startsWith(LITE)) return alternatives;
  return alternatives.flatMap((other) => {
    if (other.path === undefined) return [other];
    return other.path.startsWith(LITE) ? [{ ...other, path: prefixed(other.path, wiring) }] : [];
  });
}

/** Beginning of the documented paths of the administrative operations of the lite interface. */
const LITE = '/lite_api/';

/** Adds the configured path prefix to an administrative operation of the lite interface (platform contract ADM-1). */
function prefixed(path: string, { deployment }: Wiring): string {
  const { liteAdminPrefix } = deployment;
  return liteAdminPrefix !== undefined && path.startsWith(LITE) ? liteAdminPrefix + path : path;
}
