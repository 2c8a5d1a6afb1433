/**
 * Translates Teams' refusals into what they mean for a reply. Sources: "Status codes from bot conversational APIs" on
 * Microsoft's page on conversations with bots, and "Response codes" on its page on streaming bot messages.
 */

import { isPlain, type Plain, readJson, text } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { Answered } from './http.ts';

/**
 * gone: the conversation is closed to the app, or the message no longer exists. denied: Teams refuses the call without a
 * documented reason, and may accept it later. invalid: Teams never accepts this content. too-big: Teams never
 * accepts this size. stopped: the person stopped the stream. not-live: the stream has ended, or the call's text does
 * not begin with the text that the stream shows. streamless: the conversation has no streams. dropped: a later call of
 * the stream arrived before this call. rate: too many calls. busy: Teams did not carry out the call, but may accept it
 * later. unknown: Teams may have carried it out.
 */
export type Meaning =
  | 'gone'
  | 'denied'
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

/** Teams' error code if only the message is missing; the conversation exists. */
export const MESSAGE_GONE = 'ActivityNotFoundInConversation';

/**
 * The documented code of a deleted conversation. Teams also sends it now and then for conversations that exist
 * (botbuilder-js issue 4722, msteams-docs issue 9425, botframework-sdk issue 6628), so one refusal proves nothing.
 */
export const CONVERSATION_GONE = 'ConversationNotFound';

/**
 * The code under which the bridge logs that Teams looked for the conversation in another region, which proves nothing
 * about the conversation or its members. Teams sends the general code `BadArgument` (BotFramework-Services issue 339,
 * botframework-sdk issue 6184, botbuilder-js issue 3280).
 */
export const WRONG_REGION = 'WrongRegion';

const wrongRegion = /wrong geo|different region/i;

const byCode: ReadonlyMap<string, Meaning> = new Map([
  ['ContentStreamSequenceOrderPreConditionFailed', 'dropped'],
  ['MessageSizeTooBig', 'too-big'],
  [MESSAGE_GONE, 'gone'],
  [WRONG_REGION, 'denied'],
  // After these codes, a conversation accepts no more messages from the app. Microsoft's table says of each: do not
  // retry, and wait until a person or an event shows that the app is allowed again ("Status codes from bot conversational
  // APIs"; with status 404 on the page on targeted messages).
  ['BotNotInConversationRoster', 'gone'],
  ['BotDisabledByAdmin', 'gone'],
  ['ConversationBlockedByUser', 'gone'],
  ['ForbiddenOperationException', 'gone'],
  // The page on proactive messages, "Understand who blocked, muted, or uninstalled a bot".
  ['MessageWritesBlocked', 'gone'],
]);

/**
 * Meaning of each HTTP status. 412, 429, 502, 503 and 504 "must be retried" (Microsoft's page on rate limits). After
 * 500, 502 and 504, Teams may have carried out the call. A 401 counts as `busy`, because calls succeed again when the
 * operator has corrected the bot's registration. Teams answers 403 and 404 now and then to calls that it accepts a
 * moment later (`ServiceError: Unknown` in msteams-docs issue 7613; BotFramework-Services issues 200, 269 and 349).
 */
const byStatus: Readonly<Record<number, Meaning>> = {
  400: 'invalid',
  401: 'busy',
  403: 'denied',
  404: 'denied',
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
  return byCode.get(code) ?? byStatus[status] ?? (status >= 500 ? 'unknown' : 'invalid');
}

/** True if the conversation accepts no more messages (fault F27); false if only a message is missing. */
export const isClosed = ({ meaning, code }: Pick<Refusal, 'meaning' | 'code'>): boolean =>
  meaning === 'gone' && code !== MESSAGE_GONE;

/**
 * Returns the refusal in a response; undefined if the call succeeded. A response to a stream's call can contain a
 * refusal even if its status is 202.
 */
export function refusalIn(answer: Answered, now: number): Refusal | undefined {
  const { status, headers } = answer;
  const { code, sentence } = errorIn(contentOf(answer));
  const meaning = meaningOf(status, code, sentence);
  if (status < 300 && meaning !== 'dropped' && meaning !== 'too-big') return undefined;
  const retryAfterMs = meaning === 'rate' ? retryAfter([headers['retry-after']].flat()[0], now) : undefined;
  return { status, code, meaning, ...defined({ retryAfterMs }) };
}

/** Returns the body's JSON object; an empty object if the body is anything else. */
export const contentOf = ({ body }: Pick<Answered, 'body'>): Plain => readJson(body.toString('utf8')) ?? {};

/** Returns the error code and sentence in a body. A code that is known here counts before the others. */
function errorIn(content: Plain): { readonly code: string; readonly sentence: string } {
  const errors = errorsIn(content, 0);
  const codes = errors
    .flatMap(({ code, subCode, errorCode }) => [code, subCode, errorCode])
    .flatMap((each) => spellings.get(bare(each)) ?? text(each) ?? []);
  const code = codes.find((each) => byCode.has(each)) ?? codes[0] ?? '';
  const sentence = errors.flatMap(({ message }) => text(message) ?? [])[0] ?? '';
  if (wrongRegion.test(sentence)) return { code: WRONG_REGION, sentence };
  // Teams may send a web page or a sentence in place of its error code. Such a text must not reach the log, because it
  // may contain messages (attack S20).
  return { code: /^[\w .:-]{1,80}$/.test(code) ? code : 'unreadable', sentence };
}

/** Maximum depth at which errors inside errors are read. */
const DEPTH = 5;

/**
 * Returns the objects in which a body names its error, outermost first: `{ error: { code, message, innerHttpError: {
 * body } } }` (Bot Connector REST reference, "Error object") or, from older services, `{ errorCode, message: "{\"subCode\":
 * …}" }`. A text counts if it is JSON, or consists of a known code only.
 */
function errorsIn(value: unknown, depth: number): readonly Plain[] {
  const content =
    typeof value === 'string' ? (readJson(value) ?? { code: spellings.get(bare(value)) }) : value;
  if (!isPlain(content) || depth > DEPTH) return [];
  const { error, message, innerHttpError, body } = content;
  const inner = [error, message, innerHttpError, body];
  return [content, ...inner.flatMap((each) => errorsIn(each, depth + 1))];
}

/** Returns a code without its case, spaces and punctuation. */
const bare = (code: unknown): string => (text(code) ?? '').slice(0, 100).replace(/[\W_]/g, '').toLowerCase();

/** The codes as Microsoft's pages spell them. */
const spellings: ReadonlyMap<string, string> = new Map(
  [STREAM, CONVERSATION_GONE, ...byCode.keys()].map((code) => [bare(code), code]),
);

/**
 * Returns the wait that `Retry-After` demands, in milliseconds. Reads a value in seconds or a date; returns undefined
 * for anything else.
 */
function retryAfter(value: string | undefined, now: number): number | undefined {
  const trimmed = value?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(trimmed)) return Math.ceil(Number(trimmed) * 1_000);
  if (!/^[A-Z][a-z]{2},? /.test(trimmed)) return undefined;
  const date = Date.parse(trimmed);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
