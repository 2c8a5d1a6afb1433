/** An event comes in: checked, kept, and only then acknowledged. Stops bypass the lane. */

import { BridgeError, catalogue, type ErrorCode } from '../errors.ts';
import type { Intake, Kept } from './channel.ts';
import type { Clock } from './clock.ts';
import { parseCommand } from './commands.ts';
import type { TurnId } from './ids.ts';
import { laneOf, type Message, type Origin, originKey, type Person, type ThreadRef } from './message.ts';
import type { QuestionRate } from './rate.ts';
import type { Screen } from './screen.ts';
import type { Inbox } from './stores.ts';
import type { Witness } from './witness.ts';

export interface IntakeParts {
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly witness: Witness;
  readonly rate: QuestionRate;
  /** Longest question, UTF-16 units. */
  readonly questionLimit: number;
  newId(): TurnId;
  /** Tells whoever announces waits that a question was kept behind others. */
  queued(): void;
}

export type IntakeDesk = (event: Intake) => Promise<Kept>;

export function createIntake(parts: IntakeParts): IntakeDesk {
  return async (event) => {
    switch (event.kind) {
      case 'stop':
        return stop(event.thread, event.by, { parts, turn: event.turn });
      case 'ask':
        return ask(event.message, event.origin, parts);
      default:
        return { kind: 'nothing' };
    }
  };
}

async function ask(message: Message, origin: Origin, parts: IntakeParts): Promise<Kept> {
  if (parseCommand(message.text)?.name === 'stop') {
    const stopped = await stop(message.thread, message.sender, { parts });
    if (stopped.kind === 'stopped') return stopped;
  }
  const fault = faultOf(message, parts);
  return fault === undefined ? keep(message, origin, parts) : refuse(fault);
}

function refuse(code: ErrorCode): Kept {
  return { kind: 'refused', tellUser: catalogue[code].tellUser };
}

function faultOf(message: Message, { questionLimit }: IntakeParts): ErrorCode | undefined {
  if (message.text.trim() === '' && message.files.length === 0) return 'question-empty';
  if (message.text.length > questionLimit) return 'question-too-long';
  return undefined;
}

async function keep(message: Message, origin: Origin, parts: IntakeParts): Promise<Kept> {
  const screen = await screenToGoOnWith(origin, parts);
  const { thread, sender } = message;
  const key = originKey(thread, origin);
  if (!parts.rate.allow({ thread, person: sender }, key)) return refuse('too-many-questions');
  const id = parts.newId();
  const added = await parts.inbox.add({
    id,
    originKey: key,
    origin,
    lane: laneOf(thread),
    message,
    ...(screen !== undefined && { screen }),
  });
  if (added.kind === 'full') return refuse('lane-full');
  if (added.kind === 'duplicate') return { kind: 'duplicate', turn: added.id };
  parts.witness.see({
    turn: id,
    at: parts.clock.now(),
    name: 'kept',
    detail: { channel: thread.channel, origin: origin.kind, ahead: added.ahead },
  });
  if (added.ahead > 0) parts.queued();
  return { kind: 'kept', turn: id, ahead: added.ahead };
}

/** A retry goes on in the reply of the turn that it repeats. */
async function screenToGoOnWith(origin: Origin, { inbox }: IntakeParts): Promise<Screen | undefined> {
  if (origin.kind !== 'retry' && origin.kind !== 'regenerate') return undefined;
  const earlier = await inbox.find(origin.of);
  if (earlier === undefined || earlier.state === 'waiting' || earlier.state === 'running') {
    throw new BridgeError(
      'usage',
      `Turn ${origin.of} has not ended or is not known, so it cannot be retried.`,
      {
        tellUser: 'This answer cannot be repeated any more. Please ask the question again.',
      },
    );
  }
  return earlier.screen;
}

async function stop(
  thread: ThreadRef,
  by: Person,
  { parts, turn }: { parts: IntakeParts; turn?: TurnId | undefined },
): Promise<Kept> {
  const { inbox } = parts;
  const id = turn ?? (await inbox.current(laneOf(thread)))?.id;
  if (id === undefined) return { kind: 'nothing-to-stop' };
  const found = await inbox.interrupt(id, { kind: 'stop', by: by.id });
  return { kind: found === 'none' ? 'nothing-to-stop' : 'stopped' };
}
