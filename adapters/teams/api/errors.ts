/**
 * Translates Teams' refusals into what they mean for a reply. Sources: "Status codes from bot conversational APIs" on
 * Microsoft's page on conversations with bots, and "Response codes" on its page on streaming bot messages.
 */

import { defined, type Plain, plain, readJson, text } from '../../../src/kit/json.ts';
import type { Answered } from './http.ts';

/**
 * gone: the conversation or message no longer exists. invalid: Teams never accepts this content. too-big: Teams never
 * accepts this size. stopped: the person stopped the stream. not-live: the stream has ended, or the call's text does
 * not begin with the text that the stream shows. streamless: the conversation has no streams. dropped: a later call of
 * the stream arrived before this call. rate: too many calls. busy: Teams did not carry out the call, but may accept it
 * later. unknown: Teams may have carried it out.
 */
export type Meaning =
  | 'gone'
  | 'invalid'
  | 'too-big'
  | 'stopped'
  | 'not-live'
  | 'streamless'
  | 'dropped'
  | 'rate'
  | 'busy'
  | 'unknown';

export interface Refusal {
  readonly status: number;
  /** Teams' error code, for logs. */
  readonly code: string;
  readonly meaning: Meaning;
  /** Wait that Teams asks for, in milliseconds; set only with `rate`. */
  readonly retryAfterMs?: number;
}

const STREAM = 'ContentStreamNotAllowed';

/**
 * Patterns for refusals of streams, which share one error code and differ in their sentences. The first match counts.
 */
const streamSentences: readonly (readonly [RegExp, Meaning])[] = [
  [/cancell?ed by user/i, 'stopped'],
  [/already completed/i, 'not-live'],
  [/exceeded streaming time/i, 'not-live'],
  [/previously streamed content/i, 'not-live'],
  [/size too large/i, 'too-big'],
  [/is not allowed/i, 'streamless'],
];

const byCode: Readonly<Record<string, Meaning>> = {
  ContentStreamSequenceOrderPreConditionFailed: 'dropped',
  MessageSizeTooBig: 'too-big',
};

/**
 * Meaning of each HTTP status. 412, 429, 502, 503 and 504 "must be retried" (Microsoft's page on rate limits). After
 * 500, 502 and 504, Teams may have carried out the call. A 401 counts as `busy`, because calls succeed again when the
 * operator has corrected the bot's registration.
 */
const byStatus: Readonly<Record<number, Meaning>> = {
  400: 'invalid',
  401: 'busy',
  403: 'gone',
  404: 'gone',
  408: 'unknown',
  409: 'busy',
  412: 'busy',
  413: 'too-big',
  429: 'rate',
  502: 'unknown',
  503: 'busy',
  504: 'unknown',
};

function meaningOf(status: number, code: string, sentence: string): Meaning {
  if (code === STREAM) return streamSentences.find(([said]) => said.test(sentence))?.[1] ?? 'not-live';
  return byCode[code] ?? byStatus[status] ?? (status >= 500 ? 'unknown' : 'invalid');
}

/** Teams' error code if only the message is missing; the conversation exists. */
const MESSAGE_GONE = 'ActivityNotFoundInConversation';

/**
 * True if the conversation accepts no more messages (fault F27: Teams answers 403 or 404); false if only a message is
 * missing.
 */
export const isClosed = ({ meaning, code }: Refusal): boolean => meaning === 'gone' && code !== MESSAGE_GONE;

/**
 * Returns the refusal in a response; undefined if the call succeeded. A response to a stream's call can contain a
 * refusal even if its status is 202.
 */
export function refusalIn(answer: Answered, now: number): Refusal | undefined {
  const { status, headers } = answer;
  const { code, sentence } = errorIn(contentOf(answer));
  if (status < 300 && byCode[code] === undefined) return undefined;
  const meaning = meaningOf(status, code, sentence);
  const retryAfterMs = meaning === 'rate' ? retryAfter(headers['retry-after'], now) : undefined;
  return { status, code, meaning, ...defined({ retryAfterMs }) };
}

/** Returns the body's JSON object; an empty object if the body is anything else. */
export const contentOf = ({ body }: Pick<Answered, 'body'>): Plain => readJson(body.toString('utf8')) ?? {};

/**
 * Reads the error code and sentence from `{ error: { code, message } }` or, from older services, `{ errorCode, message:
 * "{\"subCode\": …}" }`.
 */
function errorIn(content: Plain): { readonly code: string; readonly sentence: string } {
  const error = plain(content.error);
  const nested = readJson(text(content.message) ?? '') ?? {};
  const code = text(error.code) ?? text(nested.subCode) ?? text(content.code) ?? '';
  const sentence = text(error.message) ?? text(content.message) ?? '';
  // Teams may send a web page or a sentence in place of its error code. Such a text must not reach the log, because it
  // may contain messages (attack S20).
  return { code: /^[\w .:-]{1,80}$/.test(code) ? code : 'unreadable', sentence };
}

/**
 * Returns the wait that `Retry-After` demands, in milliseconds. Reads a value in seconds or a date; returns undefined
 * for anything else.
 */
function retryAfter(value: string | undefined, now: number): number | undefined {
  const said = value?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(said)) return Math.ceil(Number(said) * 1_000);
  if (!/^[A-Z][a-z]{2},? /.test(said)) return undefined;
  const date = Date.parse(said);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
