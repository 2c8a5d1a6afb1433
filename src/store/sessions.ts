import type { Exchange } from '../core/agents/agent.ts';
import type { KeyValues } from '../core/stores/keyed.ts';
import type { SessionKey, SessionState, SessionStore } from '../core/stores/sessions.ts';

/** Default time after which an unused session expires, in milliseconds: 30 days. */
const IDLE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Maximum number of exchanges in a thread's history. */
const HISTORY_EXCHANGES = 20;
/** Maximum total length of the questions and answers in a thread's history, in UTF-16 units. */
const HISTORY_LENGTH = 24_000;

/** Creates the store of sessions by channel, tenant, room, thread, agent and account. */
export function createSessions(keyed: KeyValues, idleMs = IDLE_MS): SessionStore {
  return {
    find: async (key) => decode(await keyed.get(encode(key))),
    save: (key, state) => keyed.set(encode(key), { ...state, history: bound(state.history) }, idleMs),
    forget: (key) => keyed.delete(encode(key)),
  };
}

/**
 * Encodes the key as JSON, which keeps the parts of the key apart, whatever characters they contain. A missing account
 * differs from every account name.
 */
function encode({ thread, agent, account }: SessionKey): string {
  return JSON.stringify([thread.channel, thread.tenant, thread.room, thread.key, agent, account ?? null]);
}

/** Drops the oldest exchanges. Always keeps the newest one, shortened if it is too long on its own. */
function bound(history: readonly Exchange[]): readonly Exchange[] {
  const kept: Exchange[] = [];
  let room = HISTORY_LENGTH;
  for (const exchange of history.slice(-HISTORY_EXCHANGES).toReversed()) {
    const fitting = kept.length === 0 ? shorten(exchange) : exchange;
    room -= fitting.question.length + fitting.answer.length;
    if (room < 0) break;
    kept.unshift(fitting);
  }
  return kept;
}

function shorten(exchange: Exchange): Exchange {
  const { question, answer } = exchange;
  if (question.length + answer.length <= HISTORY_LENGTH) return exchange;
  const asked = cut(question, HISTORY_LENGTH / 2);
  return { ...exchange, question: asked, answer: cut(answer, HISTORY_LENGTH - asked.length) };
}

/** Returns the beginning of a text without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  const start = text.slice(0, length);
  return start.length < text.length && !start.isWellFormed() ? start.slice(0, -1) : start;
}

function decode(value: unknown): SessionState | undefined {
  if (!isPlain(value)) return undefined;
  const { session, history } = value;
  return {
    ...(typeof session === 'string' && { session }),
    history: Array.isArray(history) ? history.filter(isExchange) : [],
  };
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isExchange = (value: unknown): value is Exchange =>
  isPlain(value) && typeof value.question === 'string' && typeof value.answer === 'string';
