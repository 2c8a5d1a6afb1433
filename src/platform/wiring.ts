import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import { type Alarm, startAlarm } from './alarm.ts';
import type { Authority, SchemeMemory } from './authority.ts';
import type { Base } from './base-url.ts';
import { callError } from './failure.ts';
import type { Timeouts } from './limits.ts';
import type { Form } from './operation.ts';
import type { ReadPace } from './stream/read-pace.ts';
import type { Transport } from './transport.ts';
import type { Deployment } from './wire/deployment.ts';

/** The context that all calls of one platform share. */
export interface Wiring {
  readonly base: Base;
  readonly transport: Transport;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly random: () => number;
  /** Paths that differ from the documented ones, by operation id (platform contract GEN-11). */
  readonly paths: Readonly<Record<string, string>>;
  readonly deployment: Deployment;
  readonly schemes: SchemeMemory;
  readonly reads: ReadPace;
  /**
   * Methods and paths to try, by operation id. Set once the server has accepted one of them (platform contract
   * ADM-1).
   */
  readonly forms: Map<string, readonly Form[]>;
  /** Maximum bytes of an uploaded file (platform contract FIL-11). */
  readonly maxUploadBytes: number;
  readonly authPattern: RegExp;
  /** Locale that is sent with the request for temporary links (platform contract MED-1). */
  readonly locale: string;
  called(call: PlatformCall): void;
}

/** One finished call, for the metrics. */
export interface PlatformCall {
  readonly operation: string;
  /** `ok`, an error code, or `stopped` if the caller aborted the call. */
  readonly outcome: string;
  readonly ms: number;
}

export interface CallContext {
  readonly authority: Authority;
  readonly signal: AbortSignal;
  /** Called with the progress of an upload. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Progress of an upload, in bytes. */
export interface Progress {
  readonly sent: number;
  readonly total: number;
}

/** Returns the outcome of a failed call for the metrics. */
export function outcomeOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'stopped';
  return error instanceof BridgeError ? error.code : 'internal';
}

/**
 * Returns a signal that aborts with the outer signal, or after `ms` milliseconds with the error that `late` returns.
 */
export function within(
  clock: Clock,
  ms: number,
  outer: AbortSignal,
  late: () => BridgeError,
): { signal: AbortSignal; stop: () => void } {
  const ended = new AbortController();
  const alarm = startAlarm(clock, ms, () => ended.abort(late()));
  return { signal: AbortSignal.any([outer, ended.signal]), stop: alarm.stop };
}

/** Starts an alarm that aborts `silence` with `platform-idle` if no data of an answer arrives within the idle time. */
export function startIdleAlarm(
  { clock, timeouts: { idleMs } }: Wiring,
  operation: string,
  silence: AbortController,
): Alarm {
  const message = `The platform sent no data for ${idleMs} ms during ${operation}.`;
  return startAlarm(clock, idleMs, () => silence.abort(callError('platform-idle', operation, message)));
}
