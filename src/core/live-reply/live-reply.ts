/** A reply being written: holds the latest document and lets the pacer bring the screen up to date. */

import { asBridgeError, type BridgeError } from '../../errors.ts';
import type { CallPlace } from '../channel/limits.ts';
import type { Clock } from '../clock.ts';
import { createLatest } from '../pacing/latest.ts';
import { pace } from '../pacing/pace.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { Checkpoint, Claim, Inbox } from '../stores/inbox.ts';
import type { Turn } from '../turn.ts';
import type { CoreEvent } from '../turn-events.ts';
import { createCaughtUp } from './caught-up.ts';
import type { TurnDeps } from './deps.ts';
import { firstDocument, letEarlierArrive } from './opening.ts';
import type { TurnScope } from './scope.ts';

export interface LiveReply {
  document(): ReplyDocument;
  update(next: (document: ReplyDocument) => ReplyDocument): void;
  readonly recorder: Recorder;
  /** Resolves once the agent may be asked. Until then the reply shows nothing. */
  readonly begun: Promise<void>;
  emit(name: CoreEvent['name'], detail?: CoreEvent['detail']): void;
  /** Accepts no more changes and resolves when the screen shows the whole document. Throws the errors of `pace`. */
  end(): Promise<void>;
  /** Returns the screen as of the last call; undefined if no call has begun. */
  screen(): Screen | undefined;
  /** See `CaughtUp.upToDate`. */
  upToDate(): Promise<boolean | undefined>;
  /** Waits for the call in flight, then stops updating the screen, so that the next process can continue the reply. */
  detach(): Promise<void>;
}

/** @param first the document with which the reply starts */
export function openLiveReply(
  claim: Claim,
  scope: TurnScope,
  deps: TurnDeps,
  first: ReplyDocument = firstDocument(claim),
): LiveReply {
  const { turn } = claim;
  const { channel } = turn.message.thread;
  const emit: LiveReply['emit'] = (name, detail = {}) =>
    deps.turnEvents.record({ turn: turn.id, at: deps.clock.now(), name, detail });
  const latest = createLatest(first);
  const recorder = createRecorder({
    claim,
    inbox: deps.inbox,
    lost: () => scope.interrupt({ kind: 'lost' }),
    failed: ({ code }) => emit('trouble', { code, what: 'checkpoint' }),
  });
  const adapter = deps.adapter(channel);
  const left = new AbortController();
  const calls = trackScreen(recorder);
  const caughtUp = createCaughtUp(latest);
  const ordered = adapter.abilities.lookup === undefined;
  const begun = letEarlierArrive(turn, { ordered, clock: deps.clock, signal: scope.asking });
  const paced = {
    reply: turn.id,
    place: placeOf(turn),
    writer: adapter.writer(turn),
    budgets: deps.budgets(channel),
    clock: deps.clock,
    ...signalsOf(scope, left.signal, deps.clock),
    mayWrite: () => deps.inbox.holdsLease(claim),
    record: calls.record,
    answering: waitingFor(turn, scope, deps),
    idle: caughtUp.idle,
    moved(move: Move, outcome: Outcome) {
      emit('move', detailOf(move, outcome));
      if (outcome.kind === 'refused' && outcome.why === 'gone') scope.interrupt({ kind: 'gone' });
    },
  };
  const pacing = begun.then(() => pace(latest, screenOf(claim, paced.writer), paced));
  // `end` rethrows this failure. Until then, Node must not report it as an unhandled rejection.
  pacing.catch(() => undefined).finally(caughtUp.close);

  return {
    document: latest.get,
    update: (next) => latest.set(next(latest.get())),
    recorder,
    begun,
    emit,
    screen: calls.screen,
    async end() {
      latest.close();
      await pacing.finally(() => deps.budgets(channel).free(turn.id));
    },
    upToDate: () => caughtUp.upToDate(left.signal),
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

function detailOf(move: Move, outcome: Outcome): CoreEvent['detail'] {
  const why = outcome.kind === 'refused' ? { why: outcome.why } : {};
  return { family: move.family, essential: move.essential, outcome: outcome.kind, ...why };
}

/**
 * Records the progress of a reply. A failing store does not end the answer (fault F29), because unsaved data is added
 * to the next record.
 */
interface Recorder {
  /** Resolves once the checkpoint is on disk, or once the failure to store it was reported. */
  record(checkpoint: Checkpoint): Promise<void>;
  /** Records text that is not recorded yet, and the screen if its messages or open streams have changed (`shapeOf`). */
  recordShown(document: ReplyDocument, screen: Screen): Promise<void>;
  /** Records the whole text and marks it as complete. */
  recordEnding(document: ReplyDocument): Promise<void>;
  /** Records again what could not be stored, without text. Resolves to false if the store fails again. */
  recordRest(): Promise<boolean>;
}

interface RecorderDeps {
  readonly claim: Claim;
  readonly inbox: Pick<Inbox, 'checkpoint'>;
  /** Called when the lease was lost. */
  lost(): void;
  failed(error: BridgeError): void;
}

/** Facts about the newest text on disk. */
interface RecordedText {
  readonly length: number;
  readonly version: number;
  readonly rewrites: number;
  /** Set only after the text was rewritten. Most texts only grow, and copies of them all would take much memory. */
  readonly text?: string;
}

export function createRecorder({ claim, inbox, lost, failed }: RecorderDeps): Recorder {
  let recorded: RecordedText = { length: claim.text.length, version: 0, rewrites: 0 };
  let shape = claim.turn.screen && shapeOf(claim.turn.screen);

  /**
   * Checkpoint properties whose latest write failed. The text is never one of them, because it is always taken from the
   * latest document.
   */
  let unsaved: Checkpoint = {};
  let unsavedFrom = Number.POSITIVE_INFINITY;
  /**
   * The latest checkpoint that wrote each property. Writes overlap, so an older write may fail after a newer one
   * succeeded.
   */
  const newest = new Map<string, Checkpoint>();

  /** The newest write. Its content is on disk only once the promise resolves. */
  let latest = Promise.resolve();

  const record = (fresh: Checkpoint): Promise<void> => {
    latest = write(fresh);
    return latest;
  };
  const write = async (fresh: Checkpoint): Promise<void> => {
    const checkpoint = { ...unsaved, ...fresh };
    unsaved = {};
    for (const member of Object.keys(checkpoint)) newest.set(member, checkpoint);
    try {
      if ((await inbox.checkpoint(claim, checkpoint)) === 'lost') lost();
    } catch (thrown) {
      const { text, ...facts } = checkpoint;
      const lacking = Object.entries(facts).filter(([member]) => newest.get(member) === checkpoint);
      unsaved = { ...unsaved, ...Object.fromEntries(lacking) };
      if (text !== undefined) unsavedFrom = Math.min(unsavedFrom, text.at);
      failed(asBridgeError(thrown));
    }
  };

  /**
   * Returns the text that is not recorded yet and marks it as recorded; empty if the document is older than the
   * recorded one.
   */
  const takeText = ({ text, version, rewrites }: ReplyDocument): Pick<Checkpoint, 'text'> => {
    if (version < recorded.version) return {};
    // Without a rewrite, the text only grew, so it need not be compared.
    const same = rewrites === recorded.rewrites ? recorded.length : commonLength(recorded.text ?? '', text);
    const at = Math.min(unsavedFrom, same);
    const isNew = at === unsavedFrom || at < recorded.length || at < text.length;
    unsavedFrom = Number.POSITIVE_INFINITY;
    recorded = { length: text.length, version, rewrites, ...(rewrites > 0 && { text }) };
    return isNew ? { text: { at, text: text.slice(at) } } : {};
  };
  const takeScreen = (screen: Screen): Pick<Checkpoint, 'screen'> => {
    if (shape === shapeOf(screen)) return {};
    shape = shapeOf(screen);
    return { screen };
  };

  return {
    record,
    async recordShown(document, screen) {
      const fresh = { ...unsaved, ...takeText(document), ...takeScreen(screen) };
      await (Object.keys(fresh).length > 0 ? record(fresh) : latest);
    },
    recordEnding: (document) => record({ phase: 'ending', ...takeText(document) }),
    async recordRest() {
      await latest;
      if (Object.keys(unsaved).length > 0) await record({});
      return Object.keys(unsaved).length === 0;
    },
  };
}

/** Serializes the parts of a screen that the next process cannot find out by itself: its messages and open streams. */
function shapeOf({ rung, parts, beside }: Screen): string {
  return JSON.stringify([rung, beside, parts.map(({ id, from, to, live }) => [id, from, to, live])]);
}

/**
 * Returns the length of the common beginning. The loop ends at the end of a text, because `charCodeAt` returns NaN
 * there, which equals nothing.
 */
function commonLength(before: string, after: string): number {
  let length = 0;
  while (before.charCodeAt(length) === after.charCodeAt(length)) length += 1;
  return length;
}
