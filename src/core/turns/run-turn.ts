/** Runs one claimed turn to its terminal state. */

import { asBridgeError, type BridgeError } from '../../errors.ts';
import { answer, isRefused } from '../answer/answer.ts';
import { waitForLease } from '../answer/lease.ts';
import { noteAnswered, type TurnContext } from '../answer/turn-context.ts';
import { type Clock, OVER } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import { withdraw } from '../live-reply/compose.ts';
import type { TurnDeps } from '../live-reply/deps.ts';
import { endOf } from '../live-reply/ending.ts';
import { type LiveReply, openLiveReply } from '../live-reply/live-reply.ts';
import type { TurnScope } from '../live-reply/scope.ts';
import type { Origin } from '../message.ts';
import { isFinal, type ReplyDocument, type ReplyState } from '../reply.ts';
import { turnFacts } from '../stores/audit.ts';
import { replyOf, versionOf } from '../stores/finished-replies.ts';
import type { Claim, Inbox } from '../stores/inbox.ts';
import { forgetReply } from '../stores/sessions.ts';
import type { Interruption, Terminal } from '../turn.ts';
import type { CoreEvent } from '../turn-events.ts';
import { postpone } from './postponing.ts';
import { isDue, isRepairable, repairedDocument, requestRepair, withStrays } from './repairing.ts';

/** Maximum time for showing a turn's end during a shutdown, in milliseconds. */
const SHUTDOWN_MS = 5_000;
/** Pause after the store failed to record a turn's end, in milliseconds. */
const SETTLE_AGAIN_MS = 500;
/**
 * Maximum number of tries to store the rest of a reply's state before its turn is ended without it. More tries than a
 * lease has time for.
 */
const REST_TRIES = 20;

const TERMINALS: Readonly<Record<ReplyState, Terminal>> = {
  done: 'answered',
  partial: 'partial',
  stopped: 'stopped',
  failed: 'failed',
  withdrawn: 'withdrawn',
  // Unreachable: a document is closed only after it is final.
  thinking: 'failed',
  writing: 'failed',
};

/** Interruptions after which the reply shows a failure. */
const FAILURES: readonly Interruption['kind'][] = ['deadline', 'locked-out', 'signed-out', 'not-accepted'];

export async function runTurn(claim: Claim, scope: TurnScope, deps: TurnDeps): Promise<void> {
  const { origin, attempt, keptAt } = claim.turn;
  if (origin.kind === 'show') return runShow(claim, origin, { scope, deps });
  const ended = await endedState(claim, deps);
  if (ended !== undefined) return settleEnded(claim, ended, deps);
  if (await isRefused(claim, deps)) return runRefused(claim, scope, deps);
  const liveReply = openLiveReply(claim, scope, deps);
  const context: TurnContext = { claim, scope, liveReply, deps };
  liveReply.emit('claimed', { attempt, waitedMs: deps.clock.now() - keptAt });
  await answer(context).catch((thrown: unknown) => breakDown(thrown, context));
  const interruption = scope.why();
  const why = interruption?.kind;
  if (interruption?.kind === 'postponed') return postpone(context, interruption);
  // Another process now holds the lease and writes the reply.
  if (why === 'lost') return leaveToOwner(context);
  if (why === 'superseded') return leaveToNewerRevision(context);
  if (why === 'withdrawn') liveReply.update(withdraw);
  // When the process shuts down, an unfinished turn goes to the next process (fault F31).
  if (why === 'release' && !isFinal(liveReply.document())) return passOn(context);
  await settle(context);
}

/**
 * Returns the state in which the reply ended according to the channel's own store; undefined if it is open. Also
 * returns undefined for interrupted turns and for turns whose whole text is recorded. These turns do not ask the agent
 * again, so they may run.
 */
async function endedState({ turn, interruption }: Claim, deps: TurnDeps): Promise<ReplyState | undefined> {
  if (interruption !== undefined || turn.phase === 'ending') return undefined;
  try {
    return await deps.adapter(turn.message.thread.channel).abilities.ended?.(turn);
  } catch (thrown) {
    // A failure of the channel's store must not prevent the turn from ending.
    deps.turnEvents.trouble(asBridgeError(thrown), deps.clock.now());
    return undefined;
  }
}

/**
 * Ends the turn in the inbox only, because its reply has ended already. This happens if the inbox was restored from a
 * backup, or if a crash came before the end was stored.
 */
async function settleEnded(
  claim: Claim,
  ended: ReplyState,
  { inbox, turnEvents, clock }: TurnDeps,
): Promise<void> {
  const state = TERMINALS[ended];
  await inbox.settle(claim, state);
  const { id, keptAt } = claim.turn;
  const at = clock.now();
  turnEvents.record({ turn: id, at, name: 'settled', detail: { state, ms: at - keptAt, ended: true } });
}

interface Showing extends Pick<TurnContext, 'scope' | 'deps'> {
  /** The state in which the turn ends; by default, the state of the version. */
  readonly state?: Terminal;
}

/** Shows a kept version; if it has expired meanwhile, the reply stays as it is. */
async function runShow(
  claim: Claim,
  origin: Extract<Origin, { kind: 'show' }>,
  { scope, deps, state }: Showing,
): Promise<void> {
  if (!(await isDue(origin, scope, deps.clock))) return void (await deps.inbox.release(claim));
  const document = await documentOf(claim, origin, deps);
  if (document === undefined) return void (await deps.inbox.settle(claim, 'failed'));
  const initial = withStrays(claim, origin, document.text.length);
  await settle({ claim, scope, liveReply: openLiveReply(initial, scope, deps, document), deps }, state);
}

/** Returns the document that a turn shows; undefined if the reply stays as it is. */
async function documentOf(
  claim: Claim,
  origin: Extract<Origin, { kind: 'show' }>,
  deps: TurnDeps,
): Promise<ReplyDocument | undefined> {
  const repaired = await repairedDocument(claim, origin, deps);
  if (repaired !== 'newest') return repaired;
  return versionOf(origin.of, origin.edition, deps.finishedReplies).catch(() => undefined);
}

/** Leaves the reply as it was before the press, so that other people see no change. */
async function runRefused(claim: Claim, scope: TurnScope, deps: TurnDeps): Promise<void> {
  const { turn } = claim;
  const of = replyOf(turn);
  const editions = await deps.finishedReplies.editions(of).catch((): TurnId[] => []);
  const before = 'of' in turn.origin ? editions.indexOf(turn.origin.of) : -1;
  const origin = { kind: 'show', of, key: '', ...(before >= 0 && { edition: before + 1 }) } as const;
  return runShow({ ...claim, turn: { ...turn, origin } }, origin, { scope, deps, state: 'failed' });
}

/** Stops writing a reply that another process now writes. */
async function leaveToOwner(context: TurnContext): Promise<void> {
  await context.liveReply.detach();
  await requestRepair(context);
}

/**
 * Ends the reply after an error. A failure is recorded before it is shown. Otherwise, if the process were killed while
 * it shows the failure, the next process would ask again and replace the failure. Stops and expiries are stored
 * already.
 */
async function breakDown(thrown: unknown, context: TurnContext): Promise<void> {
  const { scope, liveReply } = context;
  const why = scope.why()?.kind;
  const isFailure = why === undefined || FAILURES.includes(why);
  if (isFailure && liveReply.document().text === '') await liveReply.recorder.record({ phase: 'answering' });
  conclude(thrown, context);
}

/** Ends the document of an answer that was interrupted or has failed. */
function conclude(thrown: unknown, { scope, liveReply }: TurnContext): void {
  const why = scope.why();
  if (why !== undefined) liveReply.emit('interrupted', { why: why.kind });
  else reportTrouble(asBridgeError(thrown), liveReply);
  liveReply.update((document) =>
    isFinal(document) ? document : endOf(document, why?.kind, asBridgeError(thrown)),
  );
}

function reportTrouble(error: BridgeError, liveReply: LiveReply): void {
  liveReply.emit('trouble', { code: error.code, cause: error.message });
}

async function passOn({ claim, liveReply, deps }: TurnContext): Promise<void> {
  await liveReply.detach();
  await liveReply.recorder.recordRest();
  await deps.inbox.release(claim);
  liveReply.emit('released');
}

/** Leaves the reply as it is, because the turn of the edited question continues it. */
async function leaveToNewerRevision(context: TurnContext): Promise<void> {
  await context.liveReply.detach();
  if ((await recordEnd('superseded', context)) === 'superseded') reportSettled('superseded', context);
}

/** @param ended the state in which the turn ends; by default, the state of its document */
async function settle(context: TurnContext, ended?: Terminal): Promise<void> {
  const { scope, liveReply } = context;
  await waitForLease(context);
  if (scope.why()?.kind === 'lost') return leaveToOwner(context);
  await keepReply(context);
  await noteAnswered(context);
  const outcome = await showEnd(context);
  if (outcome === 'left') return passOn(context);
  const own = terminalOf(liveReply.document(), { shown: outcome === 'shown', why: scope.why()?.kind });
  const state = ended ?? own;
  const settled = await recordEnd(state, context);
  if (scope.why()?.kind === 'lost') return requestRepair(context);
  if (settled === 'lost' || settled === 'withdrawn') return;
  if (isRepairable(context)) await requestRepair(context);
  const chars = liveReply.document().text.length;
  reportSettled(settled === 'superseded' ? settled : state, context, { chars });
}

/**
 * Shows the end of the reply. If the channel does not accept the end in time during a shutdown, the next process shows
 * it.
 */
async function showEnd({ scope, liveReply, deps }: TurnContext): Promise<'shown' | 'not-shown' | 'left'> {
  const over = new AbortController();
  const end = liveReply.end().then(
    () => 'shown' as const,
    (thrown: unknown) => {
      if (scope.why() === undefined) reportTrouble(asBridgeError(thrown), liveReply);
      return 'not-shown' as const;
    },
  );
  const timeout = shutdownTime(scope, deps.clock, over.signal).then(() => 'left' as const);
  return Promise.race([end, timeout]).finally(() => over.abort(OVER));
}

/** Resolves shortly before the process ends; never resolves without a shutdown. */
async function shutdownTime({ shutdown }: TurnScope, clock: Clock, over: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (shutdown.aborted) resolve();
    shutdown.addEventListener('abort', () => resolve(), { once: true });
  });
  await clock.wait(SHUTDOWN_MS, over).catch(() => undefined);
}

/**
 * Stores the reply before its end is shown, because the buttons under it need it. If the store fails, only the buttons
 * are lost.
 */
async function keepReply({ claim: { turn, damaged }, liveReply, deps }: TurnContext): Promise<void> {
  const document = liveReply.document();
  // A damaged turn may have no question to store. Retry then takes the question from the channel.
  if (damaged || turn.origin.kind === 'show' || !isFinal(document)) return;
  try {
    if (document.state === 'withdrawn') await forgetReply(turn, deps.finishedReplies, deps.sessions);
    else await deps.finishedReplies.keep(turn, document);
  } catch (thrown) {
    liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'shelf' });
  }
}

/**
 * Records the end of the turn. Retries while the lease is held, because a turn whose end is shown must not
 * run again; writes nothing once the lease is lost. If the process is shutting down and the store accepts no
 * write, the next process claims the turn and shows the same end. Before the end, stores which messages the reply has,
 * because a later turn of the reply must edit or delete them.
 */
async function recordEnd(
  state: Terminal,
  { claim, scope, liveReply, deps }: TurnContext,
): ReturnType<Inbox['settle']> {
  const facts = turnFacts(liveReply.document(), claim.turn.message.text, deps.audited);
  for (let tries = 1; scope.why()?.kind !== 'lost'; tries += 1) {
    try {
      if ((await liveReply.recorder.recordRest()) || tries > REST_TRIES) {
        const settled = await deps.inbox.settle(claim, state, facts);
        if (settled === 'lost') scope.interrupt({ kind: 'lost' });
        return settled;
      }
    } catch (thrown) {
      reportTrouble(asBridgeError(thrown), liveReply);
    }
    if (scope.shutdown.aborted) return 'lost';
    await deps.clock.wait(SETTLE_AGAIN_MS);
  }
  return 'lost';
}

function reportSettled(
  state: Terminal,
  { claim, liveReply, deps }: TurnContext,
  detail?: CoreEvent['detail'],
): void {
  liveReply.emit('settled', { state, ms: deps.clock.now() - claim.turn.keptAt, ...detail });
}

function terminalOf(
  document: ReplyDocument,
  { shown, why }: { readonly shown: boolean; readonly why: Interruption['kind'] | undefined },
): Terminal {
  if (why === 'gone' || document.state === 'withdrawn') return 'withdrawn';
  if (why === 'expired' && shown) return 'expired';
  return shown ? TERMINALS[document.state] : 'failed';
}
