/** Runs one claimed turn to its terminal state. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import { answer } from '../answer/answer.ts';
import { type Clock, OVER } from '../clock.ts';
import { breakOff, stop, withdraw } from '../live-reply/compose.ts';
import type { TurnParts } from '../live-reply/parts.ts';
import type { TurnScope } from '../live-reply/scope.ts';
import { openStage, type Stage } from '../live-reply/stage.ts';
import type { Origin } from '../message.ts';
import { isFinal, type ReplyDocument, type ReplyState } from '../reply.ts';
import type { Claim, Inbox } from '../stores/inbox.ts';
import { forgetReply } from '../stores/sessions.ts';
import { versionOf } from '../stores/shelf.ts';
import type { Terminal } from '../turn.ts';

/** How long a turn may take to show its end once the process is about to end. */
const PARTING_MS = 5_000;
/** Pause after the store did not take the end of a turn. */
const SETTLE_AGAIN_MS = 500;

const TERMINALS: Readonly<Record<ReplyState, Terminal>> = {
  done: 'answered',
  partial: 'partial',
  stopped: 'stopped',
  failed: 'failed',
  withdrawn: 'withdrawn',
  // A document is closed only after it is final; these two would be a fault of ours.
  thinking: 'failed',
  writing: 'failed',
};

export async function runTurn(claim: Claim, scope: TurnScope, parts: TurnParts): Promise<void> {
  if (claim.turn.origin.kind === 'show') return runShow(claim, claim.turn.origin, { scope, parts });
  const ended = endedState(claim, parts);
  if (ended !== undefined) return settleEnded(claim, ended, parts);
  const stage = openStage(claim, scope, parts);
  stage.see('claimed', { attempt: claim.turn.attempt, waitedMs: parts.clock.now() - claim.turn.keptAt });
  await answer({ claim, scope, stage, parts }).catch((thrown: unknown) => conclude(thrown, scope, stage));
  const why = scope.why()?.kind;
  // The process that holds the lease now stores and shows the reply.
  if (why === 'lost') return stage.leave();
  if (why === 'superseded') return giveWay(claim, { scope, stage, parts });
  if (why === 'withdrawn') stage.update(withdraw);
  if (mayPassOn(scope, stage)) return passOn(claim, stage, parts);
  await settle(claim, { scope, stage, parts });
}

/**
 * The state in which the reply ended in the channel's own store; undefined if it is open. Also undefined for interrupted
 * turns and turns whose whole text is recorded: they do not ask the agent again, so they may run.
 */
function endedState({ turn, interruption }: Claim, parts: TurnParts): ReplyState | undefined {
  if (interruption !== undefined || turn.phase === 'ending') return undefined;
  try {
    return parts.adapter(turn.message.thread.channel).abilities.ended?.(turn);
  } catch (thrown) {
    // A channel that cannot read its store must not keep the turn from ending.
    parts.witness.trouble(asBridgeError(thrown), parts.clock.now());
    return undefined;
  }
}

/** Leaves the reply as it is: the inbox is an older copy, or lost the end of the turn in a crash. */
async function settleEnded(
  claim: Claim,
  ended: ReplyState,
  { inbox, witness, clock }: TurnParts,
): Promise<void> {
  const state = TERMINALS[ended];
  await inbox.settle(claim, state);
  const { id, keptAt } = claim.turn;
  const at = clock.now();
  witness.see({ turn: id, at, name: 'settled', detail: { state, ms: at - keptAt, ended: true } });
}

/** Shows a kept version; one that went meanwhile leaves the reply as it is. */
async function runShow(
  claim: Claim,
  { of, edition }: Extract<Origin, { kind: 'show' }>,
  { scope, parts }: Omit<Settling, 'stage'>,
): Promise<void> {
  const document = await versionOf(of, edition, parts.shelf).catch(() => undefined);
  if (document === undefined) return void (await parts.inbox.settle(claim, 'failed'));
  await settle(claim, { scope, stage: openStage(claim, scope, parts, document), parts });
}

/** The document's end when the answer broke off. The reason is read from the scope, not from what was thrown. */
function conclude(thrown: unknown, scope: TurnScope, stage: Stage): void {
  const why = scope.why();
  if (why !== undefined) stage.see('interrupted', { why: why.kind });
  else reportTrouble(asBridgeError(thrown), stage);
  stage.update((document) => (isFinal(document) ? document : endOf(document, thrown, scope)));
}

function endOf(document: ReplyDocument, thrown: unknown, scope: TurnScope): ReplyDocument {
  switch (scope.why()?.kind) {
    case 'stop':
      return stop(document);
    // What the reply shows meanwhile is not for this turn to say any more.
    case 'superseded':
    case 'withdrawn':
      return document;
    case 'deadline':
      return breakOff(document, new BridgeError('turn-deadline', 'The turn reached its deadline.'));
    case 'release':
      return document.text === ''
        ? document
        : breakOff(document, new BridgeError('turn-interrupted', 'The bridge stopped during the answer.'));
    default:
      return breakOff(document, asBridgeError(thrown));
  }
}

function reportTrouble(error: BridgeError, stage: Stage): void {
  stage.see('trouble', { code: error.code, what: error.message });
}

/** A turn without text goes to the next process when this one shuts down (fault F31). */
function mayPassOn(scope: TurnScope, stage: Stage): boolean {
  return scope.why()?.kind === 'release' && !isFinal(stage.document());
}

async function passOn(claim: Claim, stage: Stage, parts: TurnParts): Promise<void> {
  await stage.leave();
  await parts.inbox.release(claim);
  stage.see('released');
}

/** The reply is left as it is: the turn of the edited question goes on with it. */
async function giveWay(claim: Claim, { scope, stage, parts }: Settling): Promise<void> {
  await stage.leave();
  if ((await recordEnd(claim, 'superseded', { scope, stage, parts })) !== 'superseded') return;
  stage.see('settled', { state: 'superseded', ms: parts.clock.now() - claim.turn.keptAt });
}

interface Settling {
  readonly scope: TurnScope;
  readonly stage: Stage;
  readonly parts: TurnParts;
}

async function settle(claim: Claim, { scope, stage, parts }: Settling): Promise<void> {
  await shelve(claim, stage, parts);
  const shown = await showEnd({ scope, stage, parts });
  if (shown === 'left') return passOn(claim, stage, parts);
  const gone = scope.why()?.kind === 'gone';
  const state = terminalOf(stage.document(), { shown: shown === 'shown', gone });
  const settled = await recordEnd(claim, state, { scope, stage, parts });
  if (settled === 'lost' || settled === 'withdrawn') return;
  stage.see('settled', {
    state: settled === 'superseded' ? settled : state,
    ms: parts.clock.now() - claim.turn.keptAt,
    chars: stage.document().text.length,
  });
}

/** Where the process ends meanwhile, what the channel does not take in time is left to the next one. */
async function showEnd({ scope, stage, parts }: Settling): Promise<'shown' | 'not-shown' | 'left'> {
  const over = new AbortController();
  const end = stage.end().then(
    () => 'shown' as const,
    (thrown: unknown) => {
      if (scope.why() === undefined) reportTrouble(asBridgeError(thrown), stage);
      return 'not-shown' as const;
    },
  );
  const parted = partingTime(scope, parts.clock, over.signal).then(() => 'left' as const);
  return Promise.race([end, parted]).finally(() => over.abort(OVER));
}

/** Never resolves unless the process is about to end. */
async function partingTime({ parting }: TurnScope, clock: Clock, over: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (parting.aborted) resolve();
    parting.addEventListener('abort', () => resolve(), { once: true });
  });
  await clock.wait(PARTING_MS, over).catch(() => undefined);
}

/** Kept before its end is shown, because the buttons under it need it. A store that fails costs only those. */
async function shelve({ turn, damaged }: Claim, stage: Stage, parts: TurnParts): Promise<void> {
  const document = stage.document();
  // A damaged turn may have no question to keep: Retry reads it from the channel.
  if (damaged || turn.origin.kind === 'show' || !isFinal(document)) return;
  try {
    if (document.state === 'withdrawn') await forgetReply(turn, parts);
    else await parts.shelf.keep(turn, document);
  } catch (thrown) {
    stage.see('trouble', { code: asBridgeError(thrown).code, what: 'shelf' });
  }
}

/**
 * Writes nothing once the lease is lost. Retries while it is held, because a turn whose end is shown must not run again. If the process is shutting down
 * and the store takes no write, the next process claims the turn and shows the same end.
 */
async function recordEnd(
  claim: Claim,
  state: Terminal,
  { scope, stage, parts }: Settling,
): ReturnType<Inbox['settle']> {
  while (scope.why()?.kind !== 'lost') {
    try {
      return await parts.inbox.settle(claim, state);
    } catch (thrown) {
      reportTrouble(asBridgeError(thrown), stage);
      if (scope.parting.aborted) return 'lost';
      await parts.clock.wait(SETTLE_AGAIN_MS);
    }
  }
  return 'lost';
}

function terminalOf(document: ReplyDocument, { shown, gone }: { shown: boolean; gone: boolean }): Terminal {
  if (gone || document.state === 'withdrawn') return 'withdrawn';
  return shown ? TERMINALS[document.state] : 'failed';
}
