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
  switch (dialect) {
    case 'message':
    case 'msg':
    case 'error_description':
    case 'error':
    case 'detail':
    case 'description':
      return { [dialect]: text };
    case 'error-object':
      return { error: { message: text } };
    case 'detail-list':
      return { detail: [{ loc: ['body', 'messages'], msg: text, type: 'value_error' }] };
    case 'title':
      return { title: 'One or more errors occurred.', errors: { messages: [text] } };
    default:
      return undefined;
  }
}

/** An error inside a stream as the chosen dialect words it (platform contract ERR-7). */
export function streamError(
  face: Face,
  text: string,
  dialect: ErrorDialect,
): { event?: string; data: unknown } {
  switch (dialect) {
    case 'event-error':
      return { event: 'error', data: { message: text } };
    case 'event-fail':
      return { event: 'fail', data: { message: text } };
    case 'chunk-success':
      return { data: { success: false, msg: text } };
    case 'chunk-code':
      return { data: { code: 50001, message: text } };
    case 'chunk-error':
      return { data: { error: { message: text } } };
    default:
      return face === 'open'
        ? { data: { success: false, msg: text, data: null } }
        : { event: 'error', data: { code: 50001, message: text, data: null } };
  }
}
