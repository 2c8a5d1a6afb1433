/** The sessions of people who have signed in. The browser has a random id in a cookie; the store has only its hash. */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../src/kit.ts';
import type { Seal } from './seal.ts';

/** Maximum age of a session, and maximum time without a request, in milliseconds. */
export const SESSION_MS = 24 * 60 * 60_000;
export const IDLE_MS = 8 * 60 * 60_000;
/** Interval at which the time of the last request is stored, in milliseconds. */
const SEEN_EVERY_MS = 60_000;
/**
 * Maximum sessions, and maximum sessions of one person. When either limit is reached, a new session ends the oldest
 * one.
 */
const SESSIONS = 20_000;
const SESSIONS_OF_ONE = 20;
const ID_BYTES = 32;

export interface Session {
  /** Hash of the id in the cookie. */
  readonly key: string;
  readonly person: string;
  /** The provider's id of the session. */
  readonly sid?: string;
  /** Times in milliseconds: of the sign-in, and of the last request. */
  readonly begun: number;
  readonly seen: number;
}

/** A change of the stored sessions in progress. */
interface SessionChange {
  readonly rows: {
    saveSession(session: Session): Promise<void>;
    dropSession(key: string): Promise<void>;
  };
  publish(event: SessionEvent): void;
}

type SessionEvent =
  | { readonly type: 'session-stored'; readonly session: Session }
  | { readonly type: 'sessions-ended'; readonly keys: readonly string[] };

/** Stores sessions, so that people stay signed in when the bridge restarts. */
export interface SessionStore {
  readonly rows: { sessions(): Promise<readonly Session[]> };
  /** Runs `work` alone. What it publishes is applied when it is stored. */
  change<T>(work: (change: SessionChange) => Promise<T>): Promise<T>;
}

export class Sessions {
  readonly #store: SessionStore;
  readonly #seal: Seal;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  /** Open sessions by key, the oldest first. */
  readonly #open = new Map<string, Session>();
  readonly #stored = new Map<string, number>();
  /** Called after sessions have ended. */
  onEnd: () => void = () => undefined;

  /** @param failed called if the end or the last request of a session could not be stored in the background */
  constructor(store: SessionStore, seal: Seal, clock: Clock, failed: (error: unknown) => void) {
    this.#store = store;
    this.#seal = seal;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Loads the stored sessions. Must be called before sessions are used. */
  async load(): Promise<void> {
    const stored = [...(await this.#store.rows.sessions())].sort((a, b) => a.begun - b.begun);
    this.#open.clear();
    for (const session of stored) this.#open.set(session.key, session);
    this.onEnd();
  }

  /** Applies a change that was stored, perhaps by another process. Events of other parts have no effect. */
  apply(event: SessionEvent): void {
    if (event.type === 'session-stored') {
      const { key, seen } = event.session;
      this.#stored.set(key, seen);
      this.#open.set(key, { ...event.session, seen: Math.max(seen, this.#open.get(key)?.seen ?? 0) });
    } else if (event.type === 'sessions-ended') {
      for (const key of event.keys) {
        this.#open.delete(key);
        this.#stored.delete(key);
      }
      this.onEnd();
    }
  }

  /** Begins a session and returns its id, which is always new. */
  begin(person: string, sid: string | undefined): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    return this.#store.change(async (change) => {
      const now = this.#clock.now();
      const key = this.#seal.digest(id);
      const session = { key, person, ...(sid !== undefined && { sid }), begun: now, seen: now };
      const own = [...this.#open.values()].filter((one) => one.person === person);
      const extra = own.slice(0, Math.max(0, own.length + 1 - SESSIONS_OF_ONE));
      const [oldest] = this.#open.size >= SESSIONS ? this.#open.values() : [];
      await endIn(change, [...extra, ...(oldest ? [oldest] : [])]);
      await saveIn(change, session);
      return id;
    });
  }

  /**
   * Returns the session with this id, and records the time of this request in it. Returns undefined if the session has
   * ended or never existed.
   */
  use(id: string): Session | undefined {
    const session = this.#valid(this.#seal.digest(id));
    if (session === undefined) return undefined;
    const used = { ...session, seen: this.#clock.now() };
    this.#open.set(used.key, used);
    if (used.seen - (this.#stored.get(used.key) ?? session.seen) >= SEEN_EVERY_MS) {
      this.#stored.set(used.key, used.seen);
      this.#inBackground(async (change) => {
        if (this.#open.has(used.key)) await saveIn(change, used);
      });
    }
    return used;
  }

  /** True while the session with this key has not ended. Does not count as a request. */
  isOpen(key: string): boolean {
    return this.#valid(key) !== undefined;
  }

  async end(id: string): Promise<void> {
    const session = this.#open.get(this.#seal.digest(id));
    if (session) await this.#store.change((change) => endIn(change, [session]));
  }

  /** Returns the sessions of the person, of the provider's session `sid`, or if both are given, those that match both. */
  of({ person, sid }: { readonly person?: string; readonly sid?: string }): readonly Session[] {
    return [...this.#open.values()].filter(
      (one) => (sid === undefined || one.sid === sid) && (person === undefined || one.person === person),
    );
  }

  /** Ends the sessions that `of` returns. */
  endAll(whose: { readonly person?: string; readonly sid?: string }): Promise<number> {
    return this.#store.change(async (change) => {
      const named = this.of(whose);
      await endIn(change, named);
      return named.length;
    });
  }

  #valid(key: string): Session | undefined {
    const session = this.#open.get(key);
    if (session === undefined) return undefined;
    const now = this.#clock.now();
    if (now - session.begun < SESSION_MS && now - session.seen < IDLE_MS) return session;
    this.apply({ type: 'sessions-ended', keys: [key] });
    this.#inBackground((change) => endIn(change, [session]));
    return undefined;
  }

  #inBackground(work: (change: SessionChange) => Promise<void>): void {
    this.#store.change(work).catch(this.#failed);
  }
}

async function saveIn({ rows, publish }: SessionChange, session: Session): Promise<void> {
  await rows.saveSession(session);
  publish({ type: 'session-stored', session });
}

async function endIn({ rows, publish }: SessionChange, sessions: readonly Session[]): Promise<void> {
  for (const { key } of sessions) await rows.dropSession(key);
  if (sessions.length > 0) publish({ type: 'sessions-ended', keys: sessions.map(({ key }) => key) });
}
