import { type Face, jsonReply, type Refusal, type Reply, refusalBody } from '../http/reply.ts';
import type { ErrorDialect } from './names.ts';

/** An error as the chosen dialect words it (platform contract ERR-3). */
export function refusalReply(face: Face, refusal: Refusal, dialect: ErrorDialect): Reply {
  const status = dialect === 'plain' || refusal.status >= 400 ? refusal.status : 400;
  const text = refusal.message;
  if (dialect === 'text') return raw(status, 'text/plain; charset=utf-8', text);
  if (dialect === 'html') return raw(status, 'text/html; charset=utf-8', `<html><h1>${status}</h1></html>`);
  const reply = jsonReply(errorBody(dialect, text) ?? refusalBody(face, refusal), status);
  return { ...reply, headers: { ...reply.headers, ...refusal.headers } };
}

const raw = (status: number, type: string, body: string): Reply => ({
  status,
  headers: { 'content-type': type },
  body,
});

function errorBody(dialect: ErrorDialect, text: string): unknown {
  const shapes: Partial<Record<ErrorDialect, unknown>> = {
    'error-object': { error: { message: text } },
    'detail-list': { detail: [{ loc: ['body', 'messages'], msg: text, type: 'value_error' }] },
    title: { title: 'One or more errors occurred.', errors: { messages: [text] } },
  };
  return shapes[dialect] ?? (MEMBERS.has(dialect) ? { [dialect]: text } : undefined);
}

/** Dialects that send the text alone, under their own name. */
const MEMBERS = new Set<ErrorDialect>([
  'message',
  'msg',
  'error_description',
  'error',
  'detail',
  'description',
]);

/** An error inside a stream as the chosen dialect words it (platform contract ERR-7). */
export function streamError(
  face: Face,
  text: string,
  dialect: ErrorDialect,
): { event?: string; data: unknown } {
  const shapes: Partial<Record<ErrorDialect, { event?: string; data: unknown }>> = {
    'event-error': { event: 'error', data: { message: text } },
    'event-fail': { event: 'fail', data: { message: text } },
    'chunk-success': { data: { success: false, msg: text } },
    'chunk-code': { data: { code: 50001, message: text } },
    'chunk-error': { data: { error: { message: text } } },
  };
  const plain =
    face === 'open'
      ? { data: { success: false, msg: text, data: null } }
      : { event: 'error', data: { code: 50001, message: text, data: null } };
  return shapes[dialect] ?? plain;
}
