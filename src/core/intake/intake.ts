/**
 * Checks and stores each event before it is acknowledged. Stops, edits and deletions do not wait in the thread's
 * lane.
 */

import { asBridgeError } from '../../errors.ts';
import type { Intake, IntakeResult } from '../channel/events.ts';
import { refusalToPress } from '../commands/ask-rights.ts';
import { parseCommand } from '../commands/reading.ts';
import type { TurnId } from '../ids.ts';
import { isOf, laneOf, type Message, messageKey, type Origin, originKey, replyLane } from '../message.ts';
import { actIn } from '../stores/audit.ts';
import { replyOf, versionOf } from '../stores/finished-replies.ts';
import type { NewTurn, Superseded } from '../stores/inbox.ts';
import type { Turn } from '../turn.ts';
import { words } from '../words.ts';
import { type IntakeDeps, keep } from './keeping.ts';
import { isActive, repeat } from './repeating.ts';

export type IntakeHandler = (event: Intake) => Promise<IntakeResult>;

export function createIntake(deps: IntakeDeps): IntakeHandler {
  return async (event) => {
    switch (event.kind) {
      case 'stop':
        return stop(event, deps);
      case 'instead':
        return pressInstead(event, deps);
      case 'ask':
        return ask(event.message, event.origin, deps);
      case 'edit':
        return rewrite(event, deps);
      case 'show':
        return askForVersion(event, deps);
      case 'delete':
        return remove(event, deps);
      case 'feedback':
        return noteFeedback(event, deps);
    }
  };
}

async function ask(message: Message, origin: Origin, deps: IntakeDeps): Promise<IntakeResult> {
  const command = parseCommand(message.text)?.name;
  if (command === 'stop' || command === 'instead' || command === 'sources') {
    const result = await actOnAnswer(command, message, deps);
    if (result !== undefined) return result;
  }
  const repeated = await repeat(message, origin, deps);
  if (repeated.kind === 'lost') return refuse(words.notRepeatable);
  if (repeated.kind === 'unended') return refuse(words.notRepeatableYet);
  if (repeated.kind === 'duplicate') return repeated;
  const { asking } = repeated;
  // The answer replaces an earlier one. With Retry, another agent may be asked now.
  if (asking.follows !== undefined) {
    const question = { id: asking.follows, message: asking.message };
    const refusal = await refusalToPress(message.sender, question, deps.rights);
    if (refusal !== undefined) return refuse(refusal);
  }
  return keep(asking, deps, (turn) => add(turn, deps));
}

/**
 * Handles a command that acts on an answer, as a button of the answer does, and therefore needs the same right. Resolves
 * with undefined if the command becomes a turn.
 */
async function actOnAnswer(
  command: 'stop' | 'instead' | 'sources',
  message: Message,
  deps: IntakeDeps,
): Promise<IntakeResult | undefined> {
  const { inbox, rights } = deps;
  const { thread } = message;
  const last = command === 'sources' ? await rights.memory.lastAnswer(thread) : undefined;
  const answer = await (command !== 'sources' ? inbox.current(laneOf(thread)) : last && inbox.find(last));
  if (answer !== undefined) {
    const isOwn = command !== 'sources' && answer.message.sender.id === message.sender.id;
    const refusal = await deps.sender(message).then(
      (by) => refusalToPress(by, answer, rights),
      // People may stop their own answer even if the channel does not say who they are.
      (thrown: unknown) => (isOwn ? undefined : asBridgeError(thrown).tellUser),
    );
    if (refusal !== undefined) return refuse(refusal);
  }
  if (command === 'sources') return undefined;
  const by = { thread, by: message.sender };
  // Another answer may have begun during the look-up. The command does not mean that answer, and its rights were not checked.
  if (answer !== undefined && (await inbox.current(laneOf(thread)))?.id === answer.id) {
    const stopped = await (command === 'stop'
      ? stop({ ...by, turn: answer.id }, deps)
      : askInstead(by, deps));
    if (stopped.kind === 'stopped') return stopped;
  }
  // Not stored as a turn: it would wait behind the running answer, and a second `instead` would choose it.
  return command === 'instead' ? refuse(words.nothingWaits) : undefined;
}

type Stop = Omit<Extract<Intake, { kind: 'stop' }>, 'kind'>;

async function stop(
  { thread, by, turn, streams = [] }: Stop,
  { inbox, noteAct }: IntakeDeps,
): Promise<IntakeResult> {
  const found = await (turn === undefined ? inbox.current(laneOf(thread)) : inbox.find(turn));
  if (found === undefined || !isOf(thread, found) || isOfEarlierTurn(streams, found))
    return { kind: 'nothing-to-stop' };
  const state = await inbox.interrupt(found.id, { kind: 'stop', by: by.id });
  if (state !== 'none') await noteStop(found, { thread, by }, { noteAct });
  return { kind: state === 'none' ? 'nothing-to-stop' : 'stopped' };
}

/** Asks the waiting question of a press instead of the running one, in the newest wording of an edited question. */
async function pressInstead(
  { thread, by, turn }: Extract<Intake, { kind: 'instead' }>,
  deps: IntakeDeps,
): Promise<IntakeResult> {
  const found = await deps.inbox.newestOfReply(turn);
  if (found === undefined || !isOf(thread, found)) return { kind: 'nothing-to-stop' };
  if (found.message.sender.id !== by.id) return refuse(words.notYourQuestion);
  const running = await deps.inbox.current(laneOf(thread));
  const refusal = running && (await refusalToPress(by, running, deps.rights));
  if (refusal !== undefined) return refuse(refusal);
  return askInstead({ thread, by, turn: found.id }, deps);
}

/** Stops the running answer, so that a waiting question of the same person is asked next: `turn`, or the newest. */
async function askInstead(
  { thread, by, turn }: Pick<Stop, 'thread' | 'by' | 'turn'>,
  deps: IntakeDeps,
): Promise<IntakeResult> {
  const stopped = await deps.inbox.instead(laneOf(thread), by.id, turn);
  if (stopped === undefined) return { kind: 'nothing-to-stop' };
  await noteStop(stopped, { thread, by }, deps);
  return { kind: 'stopped' };
}

/** Adds the stop of another person's answer to the audit. */
async function noteStop(
  { id, message }: Turn,
  { thread, by }: Pick<Stop, 'thread' | 'by'>,
  { noteAct }: Pick<IntakeDeps, 'noteAct'>,
): Promise<void> {
  if (message.sender.id !== by.id)
    await noteAct({ ...actIn(thread, by), action: 'stop', outcome: 'done', turn: id });
}

/**
 * True if the streams were written by an earlier turn of the reply, for example before Retry was pressed. A channel may
 * repeat a stop, so it can arrive after that press, and must not stop the new turn.
 */
const isOfEarlierTurn = (streams: readonly string[], { reply, screen }: Turn): boolean =>
  reply !== undefined &&
  streams.length > 0 &&
  streams.every((id) => screen === undefined || screen.parts.some((part) => part.id === id && !part.live));

/** Maximum length of a stored note, in UTF-16 units. */
const NOTE_CHARS = 2_000;

/** Stores a person's rating of a version, with an optional note. A newer rating by the same person replaces it. */
async function noteFeedback(
  { turn: id, thread, by, verdict, note }: Extract<Intake, { kind: 'feedback' }>,
  { inbox, feedback, clock, turnEvents }: IntakeDeps,
): Promise<IntakeResult> {
  const turn = await inbox.find(id);
  if (turn === undefined || !isOf(thread, turn)) return { kind: 'nothing' };
  const { channel, tenant, room } = turn.message.thread;
  const comment = note?.trim().slice(0, NOTE_CHARS).toWellFormed();
  const at = clock.now();
  await feedback.give({
    turn: id,
    reply: replyOf(turn),
    person: by.id,
    verdict,
    at,
    channel,
    tenant,
    room,
    ...(turn.agent !== undefined && { agent: turn.agent }),
    ...(comment !== undefined && comment !== '' && { note: comment }),
  });
  turnEvents.record({ turn: id, at, name: 'feedback', detail: { verdict } });
  return { kind: 'noted' };
}

type Show = Extract<Intake, { kind: 'show' }>;

/**
 * Stores the request for another version as a short turn in a lane of its own. Refuses it if that version has expired
 * or a new version is being written.
 */
async function askForVersion(event: Show, deps: IntakeDeps): Promise<IntakeResult> {
  const { inbox, finishedReplies } = deps;
  const turn = await inbox.find(event.turn);
  if (turn === undefined || !isOf(event.thread, turn)) return refuse(words.versionGone);
  const { thread, sender } = turn.message;
  if (thread.kind === 'direct' && sender.id !== event.by.id) return refuse(words.versionGone);
  const newest = await inbox.newestOfReply(event.turn);
  if (newest && isActive(newest) && (await finishedReplies.find(newest.id)) === undefined)
    return refuse(words.versionBeingWritten);
  if ((await versionOf(replyOf(turn), event.edition, finishedReplies)) === undefined)
    return refuse(words.versionGone);
  const entry = showing(event, turn, deps.newId());
  const added = await inbox.add(entry);
  if (added.kind === 'added') return { kind: 'kept', turn: entry.id, ahead: 0 };
  return added.kind === 'duplicate' ? { kind: 'duplicate', turn: added.id } : { kind: 'nothing' };
}

const refuse = (tellUser: string): IntakeResult => ({ kind: 'refused', tellUser });

function showing({ edition, key, by }: Show, of: Turn, id: TurnId): NewTurn {
  const message = { ...of.message, text: '', sender: by };
  return turnInOwnLane({ kind: 'show', of: replyOf(of), edition, key }, of, { id, message });
}

/**
 * Handles an edit. Returns `nothing` if the question was never asked, or is unchanged, for example because the
 * channel only added a link preview.
 */
async function rewrite(
  { message, fresh = false }: Extract<Intake, { kind: 'edit' }>,
  deps: IntakeDeps,
): Promise<IntakeResult> {
  const { id, thread, revision } = message;
  const earlier = await deps.inbox.ofMessage(messageKey(thread, id));
  if (earlier !== undefined && (await saysTheSame(earlier, message, deps))) return { kind: 'nothing' };
  const origin = { kind: 'message', key: id, revision } as const;
  return keep({ message, origin }, deps, async (turn) => {
    const superseded = await deps.inbox.supersede(turn);
    return superseded.kind === 'unknown' && fresh ? add(turn, deps) : superseded;
  });
}

/**
 * Adds a question. If another replica has stored an older revision of the same message in the meantime, this newer
 * revision replaces it in the same reply.
 */
async function add(turn: NewTurn, { inbox }: IntakeDeps): Promise<Superseded> {
  const added = await inbox.add(turn);
  if (added.kind !== 'duplicate' || turn.message.revision === 0) return added;
  const superseded = await inbox.supersede(turn);
  return superseded.kind === 'unknown' ? added : superseded;
}

/**
 * True if the edit changes neither the text nor the agent nor the files. False if the earlier question is not known any
 * more: it is known while its turn waits or runs, and as long as its reply is kept.
 */
async function saysTheSame(earlier: Turn, now: Message, { finishedReplies }: IntakeDeps): Promise<boolean> {
  const before = isActive(earlier) ? earlier.message : (await finishedReplies.find(earlier.id))?.question;
  return before !== undefined && sameQuestion(before, now);
}

function sameQuestion(one: Message, other: Message): boolean {
  const files = (message: Message) => message.files.map(({ id }) => id).join(' ');
  return one.text.trim() === other.text.trim() && one.agent === other.agent && files(one) === files(other);
}

async function remove(
  { thread, message }: Extract<Intake, { kind: 'delete' }>,
  deps: IntakeDeps,
): Promise<IntakeResult> {
  const result = await deps.inbox.withdraw(messageKey(thread, message), (newest) =>
    withdrawalTurn(newest, deps.newId()),
  );
  return { kind: result > 0 ? 'noted' : 'nothing' };
}

/** Returns the turn that removes an ended reply. */
function withdrawalTurn(newest: Turn, id: TurnId): NewTurn {
  const reply = replyOf(newest);
  return turnInOwnLane({ kind: 'withdraw', of: reply, key: reply }, newest, { id, message: newest.message });
}

/**
 * Returns a turn that changes a reply in a lane of its own, so that it neither blocks nor waits for the thread's
 * turns.
 */
function turnInOwnLane(
  origin: Extract<Origin, { kind: 'show' | 'withdraw' }>,
  follows: Turn,
  own: Pick<NewTurn, 'id' | 'message'>,
): NewTurn {
  const key = originKey(follows.message.thread, origin);
  return { ...own, origin, originKey: key, lane: replyLane(origin.of), follows: follows.id };
}
