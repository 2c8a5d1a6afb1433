/**
 * Keeps the account logged in. The server's stanzas are acknowledged only after they were handled, and ours are sent
 * again when a session is resumed (XEP-0198), so that a cut connection loses nothing.
 */

import { randomUUID } from 'node:crypto';
import { type Clock, type Log, timeLimit } from 'parley/kit';
import { orAborted } from 'parley/kit/ladder';
import {
  type Account,
  CLIENT,
  login,
  type Resumable,
  type Session,
  SM,
  STANZAS,
  type Wire,
} from './login.ts';
import { childOf, type Element, element, elementsOf, toXml } from './xml.ts';

/** Pauses before the next attempt to connect, in milliseconds; the last one repeats. */
const PAUSES_MS = [250, 1_000, 2_000, 5_000, 10_000, 30_000];
/** Milliseconds between two checks whether the connection still works, and maximum wait for the response. */
const CHECK_MS = 30_000;
const ANSWER_MS = 15_000;
/** Maximum milliseconds to wait for the server to close the stream. */
const CLOSE_MS = 1_000;
/** Maximum milliseconds until the response to a request. */
const REQUEST_MS = 10_000;

const STANZA_ERRORS = 'urn:ietf:params:xml:ns:xmpp-stanzas';

/** A request or message that the server refused. `condition` is the name of the error in RFC 6120, section 8.3.3. */
export class StanzaError extends Error {
  readonly condition: string;
  constructor(condition: string, said?: string) {
    super(said === undefined ? condition : `${condition}: ${said}`);
    this.condition = condition;
  }
}

/** Returns the error that a stanza of the type `error` contains. */
export function errorIn(stanza: Element): StanzaError {
  const error = childOf(stanza, 'error', stanza.ns);
  const conditions = error === undefined ? [] : elementsOf(error).filter(({ ns }) => ns === STANZA_ERRORS);
  const condition = conditions.find(({ name }) => name !== 'text')?.name ?? 'undefined-condition';
  const said = conditions.find(({ name }) => name === 'text')?.children.join('');
  return new StanzaError(condition, said);
}

/** Reason of a wait that ended because the session was lost: the stanza may or may not have arrived. */
export class LostSession extends Error {}

export interface Connection {
  /** The full address of the session; undefined before the first login. */
  jid(): string | undefined;
  isOnline(): boolean;
  /** Sends a stanza. Throws `LostSession` if the account is not logged in. */
  send(stanza: Element): void;
  /** Resolves once the server has handled all stanzas sent so far. Rejects with `LostSession`. */
  handled(signal: AbortSignal): Promise<void>;
  /** Sends a request and resolves with its result. Rejects with `StanzaError`, `LostSession`, or after 10 s. */
  request(
    type: 'get' | 'set',
    to: string | undefined,
    content: Element,
    signal: AbortSignal,
  ): Promise<Element>;
  stop(): Promise<void>;
}

/** Sends a stanza that can be left out: if the account is not logged in, the other side has lost interest in it. */
export function sendIfOnline(connection: Connection, stanza: Element): void {
  try {
    connection.send(stanza);
  } catch (thrown) {
    if (!(thrown instanceof LostSession)) throw thrown;
  }
}

interface ConnectionDeps {
  readonly account: Account;
  readonly clock: Clock;
  readonly log: Log;
  /** Handles a stanza. Once the promise resolves, the stanza is acknowledged, and the server deletes its copy. */
  handle(stanza: Element): Promise<void>;
  /** Called after each login that did not resume the session: rooms must be joined again. */
  began(): void;
}

interface Request {
  readonly to: string | undefined;
  readonly answer: PromiseWithResolvers<Element>;
}

interface Sent {
  readonly stanza: Element;
  readonly number: number;
}

/** The state of a session. It survives a cut connection if the server resumes the session. */
interface State {
  readonly jid: string;
  readonly id: string | undefined;
  readonly isManaged: boolean;
  /** Stanzas from the server that are being handled, in order. `handled`: number of the stanzas before them. */
  arriving: { done: boolean }[];
  handled: number;
  /** Our stanzas that the server has not confirmed. */
  sent: Sent[];
  count: number;
  readonly confirmed: Set<{ readonly number: number; readonly done: PromiseWithResolvers<void> }>;
  readonly requests: Map<string, Request>;
}

export const createConnection = (deps: ConnectionDeps): Connection => new AccountConnection(deps);

class AccountConnection implements Connection {
  readonly #deps: ConnectionDeps;
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  #state: State | undefined;
  #wire: Wire | undefined;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#running = this.#run();
  }

  jid(): string | undefined {
    return this.#state?.jid;
  }

  isOnline(): boolean {
    return this.#wire !== undefined;
  }

  send(stanza: Element): void {
    const at = this.#state;
    if (at === undefined || this.#wire === undefined) throw new LostSession('not connected');
    at.count += 1;
    if (at.isManaged) at.sent.push({ stanza, number: at.count });
    this.#write(stanza);
  }

  async handled(signal: AbortSignal): Promise<void> {
    const at = this.#state;
    if (at === undefined) throw new LostSession('not connected');
    if (at.isManaged) {
      const waiting = { number: at.count, done: Promise.withResolvers<void>() };
      at.confirmed.add(waiting);
      this.#write(element('r', SM));
      return orAborted(waiting.done.promise, signal).finally(() => at.confirmed.delete(waiting));
    }
    // A server handles the stanzas of one connection in order, so the response also confirms the stanzas before it.
    const ping = element('ping', 'urn:xmpp:ping');
    await this.request('get', this.#deps.account.domain, ping, signal).catch((thrown: unknown) => {
      if (!(thrown instanceof StanzaError)) throw thrown;
    });
  }

  async request(
    type: 'get' | 'set',
    to: string | undefined,
    content: Element,
    signal: AbortSignal,
  ): Promise<Element> {
    const id = randomUUID();
    const waiting = { to, answer: Promise.withResolvers<Element>() };
    const at = this.#state;
    this.send(element('iq', CLIENT, { type, id, to }, content));
    at?.requests.set(id, waiting);
    const late = AbortSignal.any([signal, timeLimit(REQUEST_MS)]);
    return orAborted(waiting.answer.promise, late).finally(() => at?.requests.delete(id));
  }

  async stop(): Promise<void> {
    const closing = this.#wire;
    this.#acknowledge();
    closing?.close();
    this.#ended.abort();
    if (closing !== undefined) await Promise.race([closing.ended, this.#deps.clock.wait(CLOSE_MS)]);
    closing?.destroy('the bridge stops');
    await this.#running;
    if (this.#state !== undefined) lose(this.#state);
  }

  async #run(): Promise<void> {
    const { account, clock, log } = this.#deps;
    const { signal } = this.#ended;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const session = await login(account, this.#state && resumable(this.#state), signal);
        failures = 0;
        const reason = await this.#serve(session);
        log.info({ reason }, 'the connection to the XMPP server ended');
      } catch (err) {
        if (signal.aborted) break;
        log.warn({ err, account: account.user }, 'the login to the XMPP server failed');
      }
      this.#wire = undefined;
      // The server repeats what was not acknowledged. Stanzas that are still being handled must not count twice.
      if (this.#state !== undefined) this.#state.arriving = [];
      if (this.#state !== undefined && resumable(this.#state) === undefined) this.#state = lose(this.#state);
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0;
      await clock.wait(pause, signal).catch(() => undefined);
    }
  }

  /** Uses a session until its connection ends. Resolves with the reason. */
  async #serve({ wire, jid, resumedAt, managed, early = [] }: Session): Promise<unknown> {
    const isResumed = this.#state !== undefined && resumedAt !== undefined;
    if (this.#state !== undefined && !isResumed) lose(this.#state);
    const at = this.#state !== undefined && isResumed ? this.#state : blankState(jid, managed);
    this.#state = at;
    this.#wire = wire;
    if (isResumed) confirm(at, resumedAt);
    for (const { stanza } of at.sent) this.#write(stanza);
    if (isResumed) this.#write(element('r', SM));
    else this.#deps.began();
    // A response among them belongs to a request of an earlier session.
    for (const each of early) if (!isAnswer(each)) void this.#handle(each);
    wire.listen((each) => this.#hear(each, at));
    const over = new AbortController();
    void this.#check(wire, over.signal).catch(() => undefined);
    return wire.ended.finally(() => over.abort());
  }

  /** Ends a connection on which the server no longer responds. */
  async #check(wire: Wire, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#deps.clock.wait(CHECK_MS, AbortSignal.any([signal, this.#ended.signal]));
      const late = AbortSignal.any([signal, timeLimit(ANSWER_MS)]);
      await this.handled(late).catch(() => wire.destroy('the server does not answer'));
    }
  }

  #hear(each: Element, at: State): void {
    if (STANZAS.has(each.name) && each.ns === CLIENT) this.#take(each, at);
    else if (each.ns === SM && each.name === 'r') this.#acknowledge();
    else if (each.ns === SM && each.name === 'a') confirm(at, Number(each.attrs.h));
    else if (each.name === 'error') this.#wire?.destroy(errorOf(each));
  }

  /** Counts a stanza as handled once it and all stanzas before it were handled. */
  #take(stanza: Element, at: State): void {
    const entry = { done: false };
    at.arriving.push(entry);
    const finish = (): void => {
      entry.done = true;
      while (at.arriving[0]?.done) {
        at.arriving.shift();
        at.handled += 1;
      }
    };
    if (isAnswer(stanza)) {
      answer(stanza, at);
      finish();
      return;
    }
    void this.#handle(stanza).finally(finish);
  }

  async #handle(stanza: Element): Promise<void> {
    await this.#deps
      .handle(stanza)
      .catch((err: unknown) => this.#deps.log.warn({ err }, 'a stanza could not be handled'));
  }

  #acknowledge(): void {
    if (this.#state?.isManaged) this.#write(element('a', SM, { h: `${this.#state.handled}` }));
  }

  #write(each: Element): void {
    this.#wire?.write(toXml(each));
  }
}

function blankState(jid: string, managed: Session['managed']): State {
  return {
    ...{
      jid,
      id: managed?.id,
      isManaged: managed !== undefined,
      arriving: [],
      handled: 0,
      sent: [],
      count: 0,
    },
    confirmed: new Set(),
    requests: new Map(),
  };
}

const resumable = ({ id, jid, handled }: State): Resumable | undefined =>
  id === undefined ? undefined : { id, jid, handled };

/** Ends all waits of a session that cannot be resumed. */
function lose({ confirmed, requests }: State): undefined {
  const lost = new LostSession('the session was lost');
  for (const { done } of confirmed) done.reject(lost);
  for (const { answer: waiting } of requests.values()) waiting.reject(lost);
  return undefined;
}

function confirm(at: State, until: number): void {
  if (!Number.isSafeInteger(until)) return;
  at.sent = at.sent.filter(({ number }) => number > until);
  for (const waiting of at.confirmed) if (waiting.number <= until) waiting.done.resolve();
}

const isAnswer = ({ name, attrs: { type } }: Element): boolean =>
  name === 'iq' && (type === 'result' || type === 'error');

/** Passes a response to its request. Ignores a response from an address other than the requested one: it is forged. */
function answer(stanza: Element, { requests, jid }: State): void {
  const { id = '', from, type } = stanza.attrs;
  const found = requests.get(id);
  if (found === undefined) return;
  const own = jid.replace(/\/.*$/, '');
  const isOwnServer = from === undefined || from === own || from === jid;
  if (found.to === undefined ? !isOwnServer : from !== found.to) return;
  if (type === 'result') found.answer.resolve(stanza);
  else found.answer.reject(errorIn(stanza));
}

function errorOf(each: Element): Error {
  return new Error(`The XMPP server ended the stream: ${elementsOf(each)[0]?.name ?? 'unknown'}`);
}
