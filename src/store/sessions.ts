import type { Exchange } from '../core/agents/agent.ts';
import { boundedHistory } from '../core/agents/history.ts';
import { askerOf } from '../core/asker.ts';
import { type KeyValues, ownerIn } from '../core/stores/keyed.ts';
import type { SessionKey, SessionState, SessionStore } from '../core/stores/sessions.ts';

/** Default time after which an unused session expires, in milliseconds: 30 days. */
const IDLE_MS = 30 * 24 * 60 * 60 * 1_000;

/** Creates the store of sessions by channel, tenant, room, thread, agent and account. */
export function createSessions(keyed: KeyValues, idleMs = IDLE_MS): SessionStore {
  return {
    find: async (key) => decode(await keyed.get(encode(key))),
    save(key, state) {
      const value = { ...state, history: boundedHistory(state.history) };
      const owner = ownerIn(key.thread, askerOf(key.account ?? '')?.person);
      return keyed.set(encode(key), value, idleMs, owner);
    },
    forget: (key) => keyed.delete(encode(key)),
  };
}

/**
 * Encodes the key as JSON, which keeps the parts of the key apart, whatever characters they contain. A missing account
 * differs from every account name. The platform `main` is left out, as in keys of versions that knew one platform.
 */
function encode({ thread, agent, account, platform }: SessionKey): string {
  const { channel, tenant, room, key } = thread;
  const other = platform === undefined ? [] : [platform];
  return JSON.stringify([channel, tenant, room, key, agent, account ?? null].concat(other));
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
