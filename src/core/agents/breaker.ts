/**
 * A circuit breaker for one agent platform. Libraries for circuit breakers read the system clock and reject calls.
 * This breaker uses the injected clock, tells whether a question is asked or postponed, and limits the questions that
 * are asked at once after an outage.
 */

import { asBridgeError, type BridgeError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { TurnId } from '../ids.ts';

/** Maximum age of a failure that counts toward opening the breaker, in milliseconds. */
const WINDOW_MS = 10 * 60_000;
/** Pause before the second probe, which confirms an outage, in milliseconds. */
const CONFIRM_PAUSE_MS = 1_000;
/** Pause between probes while the platform is down, in milliseconds; doubled after each failure, up to the maximum. */
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
/** Time without any resumed turn, in milliseconds, after which an outage counts as over. */
const QUIET_MS = 2_000;
/** Time after which a second trial question may start although the first is still unanswered, in milliseconds. */
const TRIAL_MS = 15_000;

/** What one request shows about the platform. `unclear`: nothing, for example because a person stopped the request. */
export type Verdict = 'answers' | 'down' | 'unclear';

/** A question that is being asked. */
export interface Asking {
  /** Must be called with the first event of the answer. */
  answered(): void;
  /**
   * Reports the error that ended the request. Resolves with true if the platform counts as down, so that the turn is
   * postponed.
   */
  failed(error: unknown): Promise<boolean>;
  /** Must be called when the request has ended. */
  end(): void;
}

export interface PlatformHealth {
  /**
   * Begins a question of the turn. Returns undefined while the platform is down. After an outage, also returns
   * undefined while `atOnce` other questions are being asked.
   */
  admit(turn: TurnId): Asking | undefined;
}

interface BreakerDeps {
  readonly clock: Clock;
  /** Number of consecutive turns whose failure opens the breaker even if the platform answers probes. */
  readonly failures: number;
  /** Maximum number of questions that are asked at once after an outage. */
  readonly atOnce: number;
  /** Resolves with true if the platform responds to a cheap request. Never rejects. */
  probe(): Promise<boolean>;
}

/**
 * `up`: every question is asked. `down`: no question is asked. `trial`: the platform answers probes, so one question
 * is asked. `recovering`: the trial question was answered, so at most `atOnce` questions are asked at once until no
 * turn is postponed.
 */
type State =
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly since: number; readonly pauseMs: number; readonly probeAt: number }
  | { readonly kind: 'trial'; readonly since: number; readonly pauseMs: number }
  | { readonly kind: 'recovering'; readonly since: number };

export class Breaker implements PlatformHealth {
  readonly #deps: BreakerDeps;
  /** Turns whose last request failed, with the times of the failures. Emptied when the platform responds. */
  readonly #failed = new Map<TurnId, number>();
  /** Running requests with the times of their starts. */
  readonly #running = new Map<object, number>();
  #state: State = { kind: 'up' };
  #resumedAt = 0;
  #confirming: Promise<boolean> | undefined;

  constructor(deps: BreakerDeps) {
    this.#deps = deps;
  }

  get state(): State['kind'] {
    return this.#state.kind;
  }

  /** Start of the outage, in milliseconds since the epoch; undefined while there is none. */
  get since(): number | undefined {
    return this.#state.kind === 'up' ? undefined : this.#state.since;
  }

  /** Number of postponed turns that can be resumed now. */
  get room(): number {
    const { kind } = this.#state;
    if (kind === 'down') return 0;
    if (kind === 'trial') return this.#hasRecent() ? 0 : 1;
    return Math.max(0, this.#deps.atOnce - (kind === 'up' ? 0 : this.#running.size));
  }

  /** Counts the platform as down until the next probe, because an earlier process left postponed turns. */
  suspect(): void {
    const now = this.#deps.clock.now();
    this.#state = { kind: 'down', since: now, pauseMs: PAUSE_MS, probeAt: now };
  }

  /** Probes the platform if it is down and a probe is due. */
  async check(): Promise<void> {
    const state = this.#state;
    const { clock, probe } = this.#deps;
    if (state.kind !== 'down' || clock.now() < state.probeAt) return;
    const answers = await probe();
    if (this.#state !== state) return;
    if (answers) {
      this.#resumedAt = clock.now();
      this.#state = { kind: 'trial', since: state.since, pauseMs: state.pauseMs };
    } else this.#open(state.since, state.pauseMs * 2);
  }

  /**
   * Reports how many turns were resumed. The outage ends once no request is running and no turn was resumed for 2 s.
   */
  resumed(turns: number): void {
    const now = this.#deps.clock.now();
    if (turns > 0) this.#resumedAt = now;
    const isOver = this.#state.kind === 'recovering' || this.#state.kind === 'trial';
    const isQuiet = turns === 0 && this.#running.size === 0 && now - this.#resumedAt >= QUIET_MS;
    if (isOver && isQuiet) this.#state = { kind: 'up' };
  }

  admit(turn: TurnId): Asking | undefined {
    if (this.room === 0) return undefined;
    const isTrial = this.#state.kind === 'trial';
    const asking: Asking = {
      answered: this.#answered,
      failed: (error) => this.#afterFailure(turn, verdictOf(asBridgeError(error)), isTrial),
      end: () => {
        this.#running.delete(asking);
      },
    };
    this.#running.set(asking, this.#deps.clock.now());
    return asking;
  }

  #hasRecent(): boolean {
    const { clock } = this.#deps;
    return [...this.#running.values()].some((startedAt) => clock.now() - startedAt < TRIAL_MS);
  }

  readonly #answered = (): void => {
    this.#failed.clear();
    if (this.#state.kind === 'trial') this.#state = { kind: 'recovering', since: this.#state.since };
  };

  async #afterFailure(turn: TurnId, verdict: Verdict, isTrial: boolean): Promise<boolean> {
    if (verdict === 'answers') this.#answered();
    if (verdict !== 'down') return false;
    const state = this.#state;
    if (state.kind === 'down') return true;
    if (state.kind === 'trial') {
      if (isTrial) this.#open(state.since, state.pauseMs * 2);
      return true;
    }
    return this.#countFailure(turn) >= this.#deps.failures ? this.#open() : this.#confirmed();
  }

  /** Records a failure. Returns the number of turns that failed since the platform last answered. */
  #countFailure(turn: TurnId): number {
    const now = this.#deps.clock.now();
    this.#failed.set(turn, now);
    for (const [each, at] of this.#failed) if (now - at > WINDOW_MS) this.#failed.delete(each);
    return this.#failed.size;
  }

  #open(since = this.since ?? this.#deps.clock.now(), pauseMs = PAUSE_MS): true {
    const pause = Math.min(LONGEST_PAUSE_MS, pauseMs);
    this.#failed.clear();
    this.#state = { kind: 'down', since, pauseMs: pause, probeAt: this.#deps.clock.now() + pause };
    return true;
  }

  /** Resolves with true if two probes in a row fail. Turns that fail at the same time share the probes. */
  #confirmed(): Promise<boolean> {
    this.#confirming ??= this.#confirm().finally(() => {
      this.#confirming = undefined;
    });
    return this.#confirming;
  }

  async #confirm(): Promise<boolean> {
    const { clock, probe } = this.#deps;
    if (await probe()) return false;
    await clock.wait(CONFIRM_PAUSE_MS);
    if (await probe()) return false;
    return this.state === 'down' || this.#open();
  }
}

/** HTTP statuses of a platform that is down, or of the proxy in front of it. */
const DOWN_STATUS: readonly unknown[] = [500, 502, 503, 504];

/** Returns what a failed request shows about the platform. */
export function verdictOf({ code, facts }: BridgeError): Verdict {
  if (code === 'platform-unreachable') return 'down';
  if (code === 'platform-interrupted') return facts.bytes === 0 ? 'down' : 'unclear';
  if (code === 'platform-server' && DOWN_STATUS.includes(facts.httpStatus)) return 'down';
  return typeof facts.httpStatus === 'number' ? 'answers' : 'unclear';
}
