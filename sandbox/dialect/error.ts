import { type Face, jsonReply, type Refusal, type Reply, refusalBody } from '../http/reply.ts';

type Shapes<Made> = Readonly<Record<string, (text: string) => Made>>;

/** JSON body of an error, by dialect (platform contract ERR-3: bodies of errors). */
const BODIES: Shapes<unknown> = {
  message: (text) => ({ message: text }),
  msg: (text) => ({ msg: text }),
  error_description: (text) => ({ error_description: text }),
  'error-object': (text) => ({ error: { message: text } }),
  error: (text) => ({ error: text }),
  detail: (text) => ({ detail: text }),
  'detail-list': (text) => ({ detail: [{ loc: ['body', 'messages'], msg: text, type: 'value_error' }] }),
  title: (text) => ({ title: 'One or more errors occurred.', errors: { messages: [text] } }),
  description: (text) => ({ description: text }),
};

/** Data of an error inside a stream, and the name of its event, by dialect (platform contract ERR-7). */
const EVENTS: Shapes<{ readonly event: string | undefined; readonly data: unknown }> = {
  'event-error': (text) => ({ event: 'error', data: { message: text } }),
  'event-fail': (text) => ({ event: 'fail', data: { message: text } }),
  'chunk-success': (text) => ({ event: undefined, data: { success: false, msg: text } }),
  'chunk-code': (text) => ({ event: undefined, data: { code: 50001, message: text } }),
  'chunk-error': (text) => ({ event: undefined, data: { error: { message: text } } }),
};

/**
 * Bodies with which a server refuses a request of the Open API with HTTP status 200, by dialect (platform contract
 * GEN-4, ERR-4).
 */
const REFUSED: Shapes<unknown> = {
  pascal: (text) => ({ Success: false, Msg: text, Data: null }),
  zero: (text) => ({ success: 0, msg: text }),
  null: (text) => ({ success: null, msg: text }),
  text: (text) => ({ success: 'False', msg: text }),
  'is-success': (text) => ({ isSuccess: false, msg: text }),
  'bare-false': () => false,
  array: (text) => [{ success: false, msg: text }],
  nested: (text) => ({ data: { success: false, msg: text } }),
  problem: (text) => ({ type: 'about:blank', title: 'Forbidden', status: 403, detail: text }),
};

/** Returns an error in the chosen dialect (platform contract ERR-3). */
export function refusalReply(
  face: Face,
  refusal: Refusal,
  dialects: { readonly error: string; readonly refusal: string },
): Reply {
  const { error: dialect, refusal: form } = dialects;
  const text = refusal.message;
  if (form !== 'plain' && refusal.status === 200) {
    const type = form === 'problem' ? 'application/problem+json' : 'application/json; charset=utf-8';
    return { ...jsonReply(REFUSED[form]?.(text)), headers: { 'content-type': type } };
  }
  const status = dialect === 'plain' || refusal.status >= 400 ? refusal.status : 400;
  if (dialect === 'text') return raw(status, 'text/plain; charset=utf-8', text);
  if (dialect === 'html') return raw(status, 'text/html; charset=utf-8', `<html><h1>${status}</h1></html>`);
  const reply = jsonReply(BODIES[dialect]?.(text) ?? refusalBody(face, refusal), status);
  return { ...reply, headers: { ...reply.headers, ...refusal.headers } };
}

const raw = (status: number, type: string, body: string): Reply => ({
  status,
  headers: { 'content-type': type },
  body,
});

/** Returns an error inside a stream in the chosen dialect (platform contract ERR-7). */
export function streamError(face: Face, text: string, dialect: string) {
  const plain =
    face === 'open'
      ? { event: undefined, data: { success: false, msg: text, data: null } }
      : { event: 'error', data: { code: 50001, message: text, data: null } };
  return EVENTS[dialect]?.(text) ?? plain;
}

/** Returns the confirmation of a deletion in the chosen dialect (platform contract GEN-4). */
export function deletionReply(reply: Reply, dialect: string): Reply {
  if (dialect === 'plain') return reply;
  return { status: dialect === 'empty' ? 200 : 204, headers: {}, body: '' };
}

export const ERROR_DIALECTS = ['plain', 'text', 'html', ...Object.keys(BODIES), ...Object.keys(EVENTS)];
export const REFUSAL_DIALECTS = ['plain', ...Object.keys(REFUSED)];
export const DELETION_DIALECTS = ['plain', 'no-content', 'empty'];
