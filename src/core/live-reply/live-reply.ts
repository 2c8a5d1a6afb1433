/** A reply being written: holds the latest document and lets the pacer bring the screen up to date. */

import type { BridgeError } from '../../errors.ts';
import type { CallPlace } from '../channel/limits.ts';
import type { Clock } from '../clock.ts';
import { createLatest } from '../pacing/latest.ts';
import { pace } from '../pacing/pace.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { Claim } from '../stores/inbox.ts';
import type { Turn } from '../turn.ts';
import type { CoreEvent } from '../turn-events.ts';
import { createCaughtUp } from './caught-up.ts';
import type { TurnDeps } from './deps.ts';
import { firstDocument, letEarlierArrive } from './opening.ts';
import { Recorder } from './recorder.ts';
import type { TurnScope } from './scope.ts';

export type LiveReply = ReturnType<typeof openLiveReply>;

/** @param first the document with which the reply starts */
export function openLiveReply(
  claim: Claim,
  scope: TurnScope,
  deps: TurnDeps,
  first: ReplyDocument = firstDocument(claim),
) {
  const { turn } = claim;
  const { channel } = turn.message.thread;
  const emit = (name: CoreEvent['name'], detail: CoreEvent['detail'] = {}): void =>
    deps.turnEvents.record({ turn: turn.id, at: deps.clock.now(), name, detail });
  const latest = createLatest(first);
  const left = new AbortController();
  const signals = signalsOf(scope, left.signal, deps.clock);
  const recorder = recorderFor(claim, scope, deps, { emit, newest: latest.get, halt: signals.halt });
  const adapter = deps.adapter(channel);
  const calls = trackScreen(recorder);
  const outcomes = trackOutcomes(emit, scope);
  const caughtUp = createCaughtUp(latest);
  const ordered = adapter.abilities.lookup === undefined;
  const begun = letEarlierArrive(turn, { ordered, clock: deps.clock, signal: scope.asking });
  const paced = {
    reply: turn.id,
    place: placeOf(turn),
    writer: adapter.writer(turn),
    budgets: deps.budgets(channel),
    clock: deps.clock,
    ...signals,
    mayWrite: () => deps.inbox.holdsLease(claim),
    record: calls.record,
    answering: waitingFor(turn, scope, deps),
    idle: caughtUp.idle,
    moved: outcomes.moved,
  };
  const pacing = begun.then(() => pace(latest, screenOf(claim, paced.writer), paced));
  // `end` rethrows this failure. Until then, Node must not report it as an unhandled rejection.
  pacing.catch(() => undefined).finally(caughtUp.close);

  return {
    document: latest.get,
    update: (next: (document: ReplyDocument) => ReplyDocument) => latest.set(next(latest.get())),
    recorder,
    /** Resolves once the agent may be asked. Until then the reply shows nothing. */
    begun,
    emit,
    /** Returns the screen as of the last call; undefined if no call has begun. */
    screen: calls.screen,
    /** True if the outcome of at least one call is unknown. Such a call may take effect later. */
    isUncertain: outcomes.isUncertain,
    /** Accepts no more changes and resolves when the screen shows the whole document. Throws the errors of `pace`. */
    async end() {
      latest.close();
      await pacing.finally(() => deps.budgets(channel).free(turn.id));
    },
    /** See `CaughtUp.upToDate`. */
    upToDate: () => caughtUp.upToDate(left.signal),
    /**
     * Waits for the call in flight, then stops updating the screen, so that the next process can continue the reply.
     */
    async detach() {
      left.abort();
      await pacing.catch(() => undefined);
      deps.budgets(channel).free(turn.id);
    },
  };
}

/**
 * Milliseconds that the call in flight may still take after another process has taken over the reply. The call is not
 * aborted at once: if the channel has accepted it, only its outcome names the message that the other process must
 * remove.
 */
const LAST_CALL_MS = 5_000;

/** Returns the signals that end the calls: `halt` prevents the next call, `signal` ends the call in flight. */
function signalsOf({ showing }: TurnScope, left: AbortSignal, clock: Clock) {
  const aborting = new AbortController();
  const abort = async () => {
    await clock.wait(LAST_CALL_MS);
    aborting.abort(showing.reason);
  };
  showing.addEventListener('abort', () => void abort(), { once: true });
  return { signal: aborting.signal, halt: AbortSignal.any([left, showing]) };
}

interface Recording {
  emit(name: CoreEvent['name'], detail: CoreEvent['detail']): void;
  newest(): ReplyDocument;
  readonly halt: AbortSignal;
}

function recorderFor(
  claim: Claim,
  scope: TurnScope,
  { inbox, clock }: TurnDeps,
  recording: Recording,
): Recorder {
  const { emit, newest, halt } = recording;
  const lost = () => scope.interrupt({ kind: 'lost' });
  const failed = ({ code }: BridgeError) => emit('trouble', { code, what: 'checkpoint' });
  return new Recorder({ claim, inbox, clock, asking: scope.asking, halt, newest, lost, failed });
}

/** Remembers the screen that was recorded with the last call. */
function trackScreen(recorder: Recorder) {
  let called: Screen | undefined;
  return {
    screen: () => called,
    record(document: ReplyDocument, screen: Screen): Promise<void> {
      called = screen;
      return recorder.recordShown(document, screen);
    },
  };
}

/** Returns a function that waits while the turn's channel is down. */
function waitingFor({ message }: Turn, scope: TurnScope, { answering }: TurnDeps) {
  return async (signal: AbortSignal): Promise<void> => {
    let resumed: (() => void) | undefined;
    await answering?.(message, signal, () => {
      resumed ??= scope.stall();
    }).finally(() => resumed?.());
  };
}

/** Returns the place of calls. Contains a thread only for the kind `room`; a direct or group chat has no threads. */
function placeOf({ message: { thread } }: Turn): CallPlace {
  const { tenant, room, key, kind } = thread;
  return { tenant, room, ...(kind === 'room' && { thread: JSON.stringify([room, key]) }) };
}

function screenOf({ turn }: Claim, writer: { blank(): Screen; resume(screen: Screen): Screen }): Screen {
  return turn.screen === undefined ? writer.blank() : writer.resume(turn.screen);
}

/** Reports each call, and interrupts the turn if its reply is gone. */
function trackOutcomes(emit: LiveReply['emit'], scope: TurnScope) {
  let uncertain = false;
  return {
    isUncertain: () => uncertain,
    moved(move: Move, outcome: Outcome, ms: number): void {
      uncertain ||= outcome.kind === 'unknown';
      emit('move', { ...detailOf(move, outcome), ms });
      if (outcome.kind === 'refused' && outcome.why === 'gone') scope.interrupt({ kind: 'gone' });
    },
  };
}

function detailOf(move: Move, outcome: Outcome): CoreEvent['detail'] {
  const why = outcome.kind === 'refused' ? { why: outcome.why } : {};
  return { family: move.family, essential: move.essential, outcome: outcome.kind, ...why };
}
