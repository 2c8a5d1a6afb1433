/**
 * Updates one reply's screen to its newest document within the channel's rate limits. Each call is computed from the
 * newest document after its permit is granted. One call is in flight at a time, and the last call shows the final
 * state.
 */

import { BridgeError } from '../../errors.ts';
import type { ReplyWriter } from '../channel/adapter.ts';
import type { CallPlace } from '../channel/limits.ts';
import { type Clock, OVER, openWait, untilTrue, type Wait } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { Budgets } from './budgets.ts';
import type { Latest } from './latest.ts';
import type { Permit } from './permit.ts';

/**
 * Number of consecutive failed calls after which a reply is given up. Higher than 5, because after five failed edits
 * a writer posts the text again (fault F18).
 */
const MAX_FAILURES = 8;
/** Wait after the first failed call, in milliseconds; doubles with each further failure. */
const BACK_OFF_MS = 250;
/** Wait in milliseconds after a rate-limit refusal that states no retry time. */
const RATE_PAUSE_MS = 1_000;
/**
 * Milliseconds between checks of an unchanged screen with an open stream, because channels close streams after some
 * time.
 */
const LIVE_REVIEW_MS = 5_000;
/**
 * A waiting call is compared with the calls that the document needs. The comparison reads the whole text, so it is
 * repeated only after the text has grown by both values: this many characters, and this share of its length. Because of
 * the share, the time for all comparisons of an answer together is proportional to its length.
 */
const COMPARE_EVERY_CHARS = 256;
const COMPARE_EVERY_SHARE = 1 / 8;

export interface Pacing {
  readonly reply: TurnId;
  readonly place: CallPlace;
  readonly writer: ReplyWriter;
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** Aborts the call in flight once the turn may no longer write to the channel. */
  readonly signal: AbortSignal;
  /** Aborts when no further call may begin. The call in flight still ends, so that its outcome is known. */
  readonly halt: AbortSignal;
  /** False while another process may be writing the reply. Read before each call. */
  mayWrite(): boolean;
  /** Stores the text that is about to be shown. Resolves once the text is on disk. */
  record(document: ReplyDocument, screen: Screen): Promise<void>;
  /** Resolves once the channel works again. Used after a failure that may mean that the channel is down. */
  answering?(signal: AbortSignal): Promise<void>;
  /** Called when the screen needs no call for the document at present. */
  idle?(document: ReplyDocument, screen: Screen): void;
  /** Called with the outcome of each call, and how long it took in milliseconds. */
  moved(move: Move, outcome: Outcome, ms: number): void;
}

/**
 * Resolves with the last screen once the document is closed and shown completely. Rejects with a signal's reason, or
 * with `channel-unavailable` if the channel does not accept the reply.
 */
export async function pace(document: Latest<ReplyDocument>, from: Screen, pacing: Pacing): Promise<Screen> {
  return new Pacer(document, from, pacing).run();
}

interface Result {
  readonly outcome: Outcome;
  /**
   * True if the call succeeded, but neither the screen nor the document has changed, and the writer asks for the call
   * again. The pacer then waits, because such a writer would otherwise repeat the call without end.
   */
  readonly isStalled: boolean;
}

class Pacer {
  readonly #document: Latest<ReplyDocument>;
  readonly #pacing: Pacing;
  /** Aborts when no further call may begin. */
  readonly #between: AbortSignal;
  #screen: Screen;
  #failures = 0;
  /** True once the channel has said that the reply is gone, and the writer has no other call than the refused one. */
  #isGone = false;
  /** Arrival time of the oldest text that is not shown yet. */
  #since: number;

  constructor(document: Latest<ReplyDocument>, from: Screen, pacing: Pacing) {
    this.#document = document;
    this.#screen = from;
    this.#pacing = pacing;
    this.#between = AbortSignal.any([pacing.signal, pacing.halt]);
    this.#since = pacing.clock.now();
  }

  async run(): Promise<Screen> {
    const { reply, place, writer, budgets, clock, mayWrite } = this.#pacing;
    budgets.begin({ reply, tenant: place.tenant, needs: writer.ends ?? {} });
    for (;;) {
      this.#between.throwIfAborted();
      if (!mayWrite()) await untilTrue(mayWrite, clock, this.#between);
      if (this.#isGone) return { ...this.#screen, finished: true };
      const wanted = this.#next().map(withoutCall);
      if (wanted.length > 0) {
        await this.#makeOneOf(wanted);
      } else if (this.#document.closed) {
        return this.#screen;
      } else {
        this.#pacing.idle?.(this.#document.get(), this.#screen);
        await this.#news();
        this.#since = clock.now();
      }
    }
  }

  /** Returns the moves that the newest document needs now. */
  #next(): readonly Move[] {
    const { writer, clock } = this.#pacing;
    return writer.next(this.#screen, this.#document.get(), clock.now());
  }

  /**
   * Resolves when the document changes, when the channel is about to remove the shown content, or when a live stream
   * must be checked.
   */
  async #news(): Promise<void> {
    const { clock } = this.#pacing;
    const seen = this.#document.get();
    const isLive = this.#screen.parts.some(({ live }) => live);
    const fades = (this.#screen.reviewAt ?? 0) - clock.now();
    const ms = Math.min(...(isLive ? [LIVE_REVIEW_MS] : []), ...(fades > 0 ? [fades] : []));
    if (ms === Number.POSITIVE_INFINITY) return this.#document.change(seen, this.#between);
    const wait = openWait(this.#between);
    const review = clock.wait(ms, wait.signal).catch(() => undefined);
    await Promise.race([this.#document.change(seen, wait.signal), review]).finally(() => wait.end());
  }

  /** Makes one call. Returns without a call if the document has changed and needs other moves. */
  async #makeOneOf(wanted: readonly Move[]): Promise<void> {
    const permit = await this.#permitFor(wanted);
    if (permit === undefined) return;
    const startedAt = this.#pacing.clock.now();
    const result = await this.#make(permit);
    if (result === undefined) return;
    this.#since = startedAt;
    await this.#afterCall(permit.move.family, result);
  }

  /**
   * Waits for a permit for one of the moves. Returns undefined if the document changes meanwhile and needs other
   * moves.
   */
  async #permitFor(moves: readonly Move[]): Promise<Permit | undefined> {
    const { reply, place, budgets } = this.#pacing;
    const first = this.#screen.parts.every(({ shown }) => shown === undefined || shown.length === 0);
    const wait = openWait(this.#between);
    let compared = this.#document.get();
    const unwatch = this.#document.watch(() => {
      const newest = this.#document.get();
      if (!first && !this.#document.closed && growsLittle(compared, newest)) return;
      compared = newest;
      this.#endIfOutdated(wait, moves);
    });
    try {
      return await budgets.permit({ reply, ...place, moves, first, since: this.#since }, wait.signal);
    } catch (thrown) {
      if (thrown === OVER) return undefined;
      throw thrown;
    } finally {
      unwatch();
      wait.end();
    }
  }

  /** Ends the wait when the newest document needs moves other than `moves`. */
  #endIfOutdated(wait: Wait, moves: readonly Move[]): void {
    try {
      if (!sameKinds(moves, this.#next())) wait.end();
    } catch (thrown) {
      wait.end(thrown);
    }
  }

  /**
   * Makes the permitted move with the newest document. Returns undefined without a call if the document no longer needs
   * a move of this kind, or if the reply may not be written at present.
   */
  async #make(permit: Permit): Promise<Result | undefined> {
    const { writer, clock, mayWrite, record } = this.#pacing;
    const document = this.#document.get();
    const move = this.#next().find((each) => isSameKind(permit.move, each));
    if (move === undefined) {
      permit.giveBack();
      return undefined;
    }
    try {
      await record(document, this.#screen);
      this.#between.throwIfAborted();
    } catch (thrown) {
      permit.giveBack();
      throw thrown;
    }
    if (!mayWrite()) {
      permit.giveBack();
      return undefined;
    }
    const outcome = await this.#attempt(move).finally(permit.answered);
    const before = this.#screen;
    this.#screen = writer.after(before, move, outcome, clock.now());
    await record(document, this.#screen);
    const isSame = this.#document.get() === document && isEqual(before, this.#screen);
    const isAskedAgain = () => this.#next().some((each) => isSameKind(move, each));
    const isFewer = this.#screen.parts.length < before.parts.length;
    this.#isGone = outcome.kind === 'refused' && outcome.why === 'gone' && !isFewer && isAskedAgain();
    return { outcome, isStalled: outcome.kind === 'done' && isSame && isAskedAgain() };
  }

  async #attempt(move: Move): Promise<Outcome> {
    const { writer, signal, clock, moved } = this.#pacing;
    const beganAt = clock.now();
    const outcome = await writer.perform(move, signal).catch((): Outcome => {
      signal.throwIfAborted();
      return { kind: 'unknown' };
    });
    moved(move, outcome, clock.now() - beganAt);
    return outcome;
  }

  /**
   * Resets the failure count after a success, and waits after a failure or a stalled call. A rate-limit refusal blocks
   * the call's family instead.
   */
  async #afterCall(family: string, { outcome, isStalled }: Result): Promise<void> {
    if (outcome.kind === 'done' && !isStalled) {
      this.#failures = 0;
      return;
    }
    const { place, budgets, clock } = this.#pacing;
    if (outcome.kind === 'refused' && outcome.why === 'rate') {
      budgets.close({ ...place, family, ms: outcome.retryAfterMs ?? RATE_PAUSE_MS });
      return;
    }
    this.#failures += 1;
    if (this.#failures >= MAX_FAILURES) {
      const message = isStalled
        ? `The channel made ${this.#failures} calls of "${family}", but its screen did not change. Its writer must return the id of a posted message, and its function \`after\` must return a changed screen.`
        : `The channel refused ${this.#failures} calls of "${family}" in a row.`;
      throw new BridgeError('channel-unavailable', message);
    }
    const retryAfterMs = outcome.kind === 'done' ? 0 : (outcome.retryAfterMs ?? 0);
    await clock.wait(BACK_OFF_MS * 2 ** (this.#failures - 1) + retryAfterMs, this.#between);
    if (mayBeDown(outcome)) await this.#pacing.answering?.(this.#between);
  }
}

/**
 * Returns the move without its call. A reply may wait for a minute, and its call would keep a copy of the text until
 * then.
 */
const withoutCall = (move: Move): Move => ({ ...move, call: undefined });

/** True if the newer document differs from the older one only by a little more text. */
function growsLittle(older: ReplyDocument, newer: ReplyDocument): boolean {
  const { length } = older.text;
  const isShort = newer.text.length - length < Math.max(COMPARE_EVERY_CHARS, length * COMPARE_EVERY_SHARE);
  return isShort && hasMembersOf(older, newer) && hasMembersOf(newer, older);
}

function hasMembersOf<Document extends ReplyDocument>(one: Document, other: Document): boolean {
  for (const member in one)
    if (one[member] !== other[member] && member !== 'text' && member !== 'version') return false;
  return true;
}

const mayBeDown = (outcome: Outcome): boolean =>
  outcome.kind === 'unknown' || (outcome.kind === 'refused' && outcome.why === 'busy');

/** Compares screens in the JSON form in which they are stored. */
const isEqual = (one: Screen, other: Screen): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

const sameKinds = (one: readonly Move[], other: readonly Move[]): boolean =>
  one.length === other.length && one.every((move, at) => isSameKind(move, other[at]));

const isSameKind = (one: Move, other: Move | undefined): boolean =>
  one.family === other?.family &&
  one.essential === other.essential &&
  (one.needs === other.needs || JSON.stringify(one.needs) === JSON.stringify(other.needs));
