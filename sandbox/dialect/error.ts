import { type Face, jsonReply, type Refusal, type Reply, refusalBody } from '../http/reply.ts';
import { type RefusalForm, refusalInForm } from './refusal.ts';

type Shapes<Made> = Readonly<Record<string, (text: string) => Made>>;

/** JSON body of an error in each dialect (platform contract ERR-3: bodies of errors). */
const BODIES = {
  message: (text) => ({ message: text }),
  msg: (text) => ({ msg: text }),
  error_description: (text) => ({ error_description: text }),
  'error-object': (text) => ({ error: { message: text } }),
  error: (text) => ({ error: text }),
  detail: (text) => ({ detail: text }),
  'detail-list': (text) => ({ detail: [{ loc: ['body', 'messages'], msg: text, type: 'value_error' }] }),
  title: (text) => ({ title: 'One or more errors occurred.', errors: { messages: [text] } }),
  description: (text) => ({ description: text }),
} satisfies Shapes<unknown>;

/** Data of an error inside a stream, and the name of its event (platform contract ERR-7: errors inside a stream). */
interface StreamError {
  readonly event: string | undefined;
  readonly data: unknown;
}

const EVENTS = {
  'event-error': (text) => ({ event: 'error', data: { message: text } }),
  'event-fail': (text) => ({ event: 'fail', data: { message: text } }),
  'chunk-success': (text) => ({ event: undefined, data: { success: false, msg: text } }),
  'chunk-code': (text) => ({ event: undefined, data: { code: 50001, message: text } }),
  'chunk-error': (text) => ({ event: undefined, data: { error: { message: text } } }),
} satisfies Shapes<StreamError>;

const shaped = <Made>(shapes: Shapes<Made>, dialect: ErrorDialect, text: string): Made | undefined =>
  shapes[dialect]?.(text);

/** Returns an error in the chosen dialect (platform contract ERR-3). */
export function refusalReply(
  face: Face,
  refusal: Refusal,
  dialects: { readonly error: ErrorDialect; readonly refusal: RefusalForm },
): Reply {
  const { error: dialect, refusal: form } = dialects;
  if (form !== 'plain' && refusal.status === 200) return refusalInForm(refusal.message, form);
  const status = dialect === 'plain' || refusal.status >= 400 ? refusal.status : 400;
  const text = refusal.message;
  if (dialect === 'text') return raw(status, 'text/plain; charset=utf-8', text);
  if (dialect === 'html') return raw(status, 'text/html; charset=utf-8', `<html><h1>${status}</h1></html>`);
  const reply = jsonReply(shaped<unknown>(BODIES, dialect, text) ?? refusalBody(face, refusal), status);
  return { ...reply, headers: { ...reply.headers, ...refusal.headers } };
}

const raw = (status: number, type: string, body: string): Reply => ({
  status,
  headers: { 'content-type': type },
  body,
});

/** Returns an error inside a stream in the chosen dialect (platform contract ERR-7). */
export function streamError(face: Face, text: string, dialect: ErrorDialect): StreamError {
  const plain =
    face === 'open'
      ? { event: undefined, data: { success: false, msg: text, data: null } }
      : { event: 'error', data: { code: 50001, message: text, data: null } };
  return shaped<StreamError>(EVENTS, dialect, text) ?? plain;
}

export type ErrorDialect = 'plain' | 'text' | 'html' | keyof typeof BODIES | keyof typeof EVENTS;

export const ERROR_DIALECTS = ['plain', 'text', 'html', ...Object.keys(BODIES), ...Object.keys(EVENTS)];
