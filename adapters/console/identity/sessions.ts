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

/** Stores sessions, so that people stay signed in when the bridge restarts. */
export interface SessionStore {
  sessions(): readonly Session[];
  saveSession(session: Session): void;
  dropSession(key: string): void;
}

export class Sessions {
  readonly #store: SessionStore;
  readonly #seal: Seal;
  readonly #clock: Clock;
  /** Open sessions by key, the oldest first. */
  readonly #open = new Map<string, Session>();
  readonly #stored = new Map<string, number>();
  /** Called after sessions have ended. */
  onEnd: () => void = () => undefined;

  constructor(store: SessionStore, seal: Seal, clock: Clock) {
    this.#store = store;
    this.#seal = seal;
    this.#clock = clock;
    const kept = store.sessions().toSorted((a, b) => a.begun - b.begun);
    for (const session of kept) this.#open.set(session.key, session);
  }

  /** Begins a session and returns its id, which is always new. */
  begin(person: string, sid: string | undefined): string {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const now = this.#clock.now();
    const session = {
      key: this.#seal.digest(id),
      person,
      ...(sid !== undefined && { sid }),
      begun: now,
      seen: now,
    };
    const own = [...this.#open.values()].filter((one) => one.person === person);
    const extra = own.slice(0, Math.max(0, own.length + 1 - SESSIONS_OF_ONE));
    const [oldest] = this.#open.size >= SESSIONS ? this.#open.values() : [];
    this.#end([...extra, ...(oldest ? [oldest] : [])]);
    this.#open.set(session.key, session);
    this.#save(session);
    return id;
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
    if (used.seen - (this.#stored.get(used.key) ?? session.seen) >= SEEN_EVERY_MS) this.#save(used);
    return used;
  }

  /** True while the session with this key has not ended. Does not count as a request. */
  isOpen(key: string): boolean {
    return this.#valid(key) !== undefined;
  }

  end(id: string): void {
    const session = this.#open.get(this.#seal.digest(id));
    if (session) this.#end([session]);
  }

  /** Returns the sessions of the person, of the provider's session `sid`, or if both are given, those that match both. */
  of({ person, sid }: { readonly person?: string; readonly sid?: string }): readonly Session[] {
    return [...this.#open.values()].filter(
      (one) => (sid === undefined || one.sid === sid) && (person === undefined || one.person === person),
    );
  }

  /** Ends the sessions that `of` returns. */
  endAll(whose: { readonly person?: string; readonly sid?: string }): number {
    const named = this.of(whose);
    this.#end(named);
    return named.length;
  }

  #valid(key: string): Session | undefined {
    const session = this.#open.get(key);
    if (session === undefined) return undefined;
    const now = this.#clock.now();
    if (now - session.begun < SESSION_MS && now - session.seen < IDLE_MS) return session;
    this.#end([session]);
    return undefined;
  }

  #save(session: Session): void {
    this.#stored.set(session.key, session.seen);
    this.#store.saveSession(session);
  }

  #end(sessions: readonly Session[]): void {
    for (const { key } of sessions) {
      this.#open.delete(key);
      this.#stored.delete(key);
      this.#store.dropSession(key);
    }
    if (sessions.length > 0) this.onEnd();
  }
}
