/**
 * Keeps the account logged in. The server's stanzas are acknowledged only after they were handled, and ours are sent
 * again when a session is resumed (XEP-0198), so that a cut connection loses nothing.
 */

import { randomUUID } from 'node:crypto';
import type { Clock, Log } from 'parley/kit';
import { orAborted, timeLimit } from 'parley/kit/ladder';
import { type Account, isStanza, login, type Resumable, type Session, SM } from './login.ts';
import { CLIENT, type Wire } from './wire.ts';
import { childOf, type Element, element, elementsOf, textOf } from './xml.ts';

/** Pauses before the first attempts to connect again, and before all others, in milliseconds. */
const PAUSES_MS = [250, 1_000, 2_000, 5_000, 10_000];
const LONGEST_PAUSE_MS = 30_000;
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
  constructor(condition: string, text?: string) {
    super(text === undefined ? condition : `${condition}: ${text}`);
    this.condition = condition;
  }
}

/** Returns the error that a stanza of the type `error` contains. */
export function errorIn(stanza: Element): StanzaError {
  const conditions = elementsOf(childOf(stanza, 'error', stanza.ns)).filter(({ ns }) => ns === STANZA_ERRORS);
  const condition = conditions.find(({ name }) => name !== 'text')?.name ?? 'undefined-condition';
  const text = conditions.find(({ name }) => name === 'text');
  return new StanzaError(condition, text && textOf(text));
}

/** Reason of a wait that ended because the session was lost: the stanza may or may not have arrived. */
export class LostSession extends Error {}

interface ConnectionDeps {
  readonly account: Account;
  readonly clock: Clock;
  readonly log: Log;
}

interface Served {
  /** Handles a stanza. Once the promise resolves, the stanza is acknowledged, and the server deletes its copy. */
  handle(stanza: Element): Promise<void>;
  /** Called after each login that did not resume the session: rooms must be joined again. */
  began(): void;
}

/** The state of a session. It survives a cut connection if the server resumes the session. */
type State = ReturnType<typeof blankState>;

const blankState = (jid: string, managed: Session['managed']) => ({
  jid,
  id: managed?.id,
  isManaged: managed !== undefined,
  /** Stanzas from the server that are being handled, in order. */
  arriving: [] as { done: boolean }[],
  /** Number of the stanzas before them. */
  handled: 0,
  /** Our stanzas that the server has not confirmed. */
  sent: [] as { readonly stanza: Element; readonly number: number }[],
  count: 0,
  confirmed: new Set<{ readonly number: number; readonly done: PromiseWithResolvers<void> }>(),
  requests: new Map<
    string,
    { readonly to: string | undefined; readonly answer: PromiseWithResolvers<Element> }
  >(),
});

export type Requests = Pick<Connection, 'isOnline' | 'request'>;

export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #state: State | undefined;
  #wire: Wire | undefined;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  /** Logs in, and does so again after each lost connection, until `stop` is called. */
  start(served: Served): void {
    this.#running = this.#run(served);
  }

  /** Returns the full address of the session; undefined before the first login. */
  jid(): string | undefined {
    return this.#state?.jid;
  }

  isOnline(): boolean {
    return this.#wire !== undefined;
  }

  /** Sends a stanza. Throws `LostSession` if the account is not logged in. */
  send(stanza: Element): void {
    const at = this.#session();
    if (this.#wire === undefined) throw new LostSession('not connected');
    at.count += 1;
    if (at.isManaged) at.sent.push({ stanza, number: at.count });
    this.#wire.write(stanza);
  }

  /** Sends a stanza that can be left out: if the account is not logged in, the other side has lost interest in it. */
  sendIfOnline(stanza: Element): void {
    if (this.isOnline()) this.send(stanza);
  }

  /** Resolves once the server has handled all stanzas sent so far. Rejects with `LostSession`. */
  async handled(signal: AbortSignal): Promise<void> {
    const at = this.#session();
    if (at.isManaged) {
      const waiting = { number: at.count, done: Promise.withResolvers<void>() };
      at.confirmed.add(waiting);
      this.#wire?.write(element('r', SM));
      return orAborted(waiting.done.promise, signal).finally(() => at.confirmed.delete(waiting));
    }
    // A server handles the stanzas of one connection in order, so the response also confirms the stanzas before it.
    const ping = element('ping', 'urn:xmpp:ping');
    await this.request('get', this.#deps.account.domain, ping, signal).catch((thrown: unknown) => {
      if (!(thrown instanceof StanzaError)) throw thrown;
    });
  }

  /** Sends a request and resolves with its result. Rejects with `StanzaError`, `LostSession`, or after 10 s. */
  async request(
    type: 'get' | 'set',
    to: string | undefined,
    content: Element,
    signal: AbortSignal,
  ): Promise<Element> {
    const at = this.#session();
    const id = randomUUID();
    const answer = Promise.withResolvers<Element>();
    this.send(element('iq', CLIENT, { type, id, to }, content));
    at.requests.set(id, { to, answer });
    const late = AbortSignal.any([signal, timeLimit(REQUEST_MS)]);
    return orAborted(answer.promise, late).finally(() => at.requests.delete(id));
  }

  async stop(): Promise<void> {
    const closing = this.#wire;
    this.#acknowledge();
    closing?.close();
    this.#ended.abort();
    if (closing !== undefined) await Promise.race([closing.ended, this.#deps.clock.wait(CLOSE_MS)]);
    closing?.destroy('the bridge stops');
    await this.#running;
    this.#lose();
  }

  #session(): State {
    if (this.#state === undefined) throw new LostSession('not connected');
    return this.#state;
  }

  async #run(served: Served): Promise<void> {
    const { account, clock, log } = this.#deps;
    const { signal } = this.#ended;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const session = await login(account, resumable(this.#state), signal);
        failures = 0;
        const reason = await this.#serve(session, served);
        log.info({ reason }, 'the connection to the XMPP server ended');
      } catch (err) {
        if (signal.aborted) break;
        log.warn({ err, account: account.user }, 'the login to the XMPP server failed');
      }
      this.#wire = undefined;
      // The server repeats what was not acknowledged. Stanzas that are still being handled must not count twice.
      if (this.#state !== undefined) this.#state.arriving = [];
      if (resumable(this.#state) === undefined) this.#lose();
      await clock.wait(PAUSES_MS[failures] ?? LONGEST_PAUSE_MS, signal).catch(() => undefined);
    }
  }

  /** Uses a session until its connection ends. Resolves with the reason. */
  async #serve({ wire, jid, resumedAt, managed, early = [] }: Session, served: Served): Promise<unknown> {
    if (resumedAt === undefined) this.#lose();
    const at = this.#state ?? blankState(jid, managed);
    this.#state = at;
    this.#wire = wire;
    if (resumedAt === undefined) served.began();
    else {
      confirm(at, resumedAt);
      for (const { stanza } of at.sent) wire.write(stanza);
      wire.write(element('r', SM));
    }
    // A response among them belongs to a request of an earlier session.
    const handle = (stanza: Element): Promise<void> =>
      served
        .handle(stanza)
        .catch((err: unknown) => this.#deps.log.warn({ err }, 'a stanza could not be handled'));
    for (const each of early) if (!isAnswer(each)) void handle(each);
    wire.listen((each) => (isStanza(each) ? take(each, at, handle) : this.#hear(each, at)));
    const over = new AbortController();
    void this.#check(wire, AbortSignal.any([over.signal, this.#ended.signal])).catch(() => undefined);
    return wire.ended.finally(() => over.abort());
  }

  /** Ends a connection on which the server no longer responds. */
  async #check(wire: Wire, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#deps.clock.wait(CHECK_MS, signal);
      const late = AbortSignal.any([signal, timeLimit(ANSWER_MS)]);
      await this.handled(late).catch(() => wire.destroy('the server does not answer'));
    }
  }

  #hear(each: Element, at: State): void {
    if (each.ns === SM && each.name === 'r') this.#acknowledge();
    else if (each.ns === SM && each.name === 'a') confirm(at, Number(each.attrs.h));
    else if (each.name === 'error')
      this.#wire?.destroy(new Error(`The XMPP server ended the stream: ${elementsOf(each)[0]?.name}`));
  }

  #acknowledge(): void {
    if (this.#state?.isManaged) this.#wire?.write(element('a', SM, { h: `${this.#state.handled}` }));
  }

  /** Ends all waits of a session that cannot be resumed. */
  #lose(): void {
    const { confirmed, requests } = this.#state ?? blankState('', undefined);
    const lost = new LostSession('the session was lost');
    for (const { done } of confirmed) done.reject(lost);
    for (const { answer: waiting } of requests.values()) waiting.reject(lost);
    this.#state = undefined;
  }
}

/** Counts a stanza as handled once it and all stanzas before it were handled. */
function take(stanza: Element, at: State, handle: (stanza: Element) => Promise<void>): void {
  const entry = { done: false };
  at.arriving.push(entry);
  const finish = (): void => {
    entry.done = true;
    while (at.arriving[0]?.done) {
      at.arriving.shift();
      at.handled += 1;
    }
  };
  if (!isAnswer(stanza)) return void handle(stanza).finally(finish);
  answer(stanza, at);
  finish();
}

const resumable = (at: State | undefined): Resumable | undefined =>
  at?.id === undefined ? undefined : { id: at.id, jid: at.jid, handled: at.handled };

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
  const own = [undefined, jid, jid.replace(/\/.*$/, '')];
  if (found === undefined || !(found.to === undefined ? own : [found.to]).includes(from)) return;
  if (type === 'result') found.answer.resolve(stanza);
  else found.answer.reject(errorIn(stanza));
}
