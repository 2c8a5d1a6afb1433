/** An event comes in: checked, kept, and only then acknowledged. Stops, edits and deletions bypass the lane. */

import { BridgeError } from '../errors.ts';
import type { Intake, Kept } from './channel.ts';
import { parseCommand } from './commands.ts';
import type { TurnId } from './ids.ts';
import { type IntakeParts, keep } from './keeping.ts';
import { laneOf, type Message, type Origin, type Person, type ThreadRef } from './message.ts';
import { remove, rewrite } from './rewriting.ts';

export type IntakeDesk = (event: Intake) => Promise<Kept>;

export function createIntake(parts: IntakeParts): IntakeDesk {
  return async (event) => {
    switch (event.kind) {
      case 'stop':
        return stop(event.thread, event.by, { parts, turn: event.turn });
      case 'ask':
        return ask(event.message, event.origin, parts);
      case 'edit':
        return rewrite(event, parts);
      case 'delete':
        return remove(event, parts);
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
  const follows = await replyToGoOnWith(origin, parts);
  return keep({ message, origin, ...(follows !== undefined && { follows }) }, parts, parts.inbox.add);
}

/** A retry and a new version go on in the reply of the turn that they repeat. */
async function replyToGoOnWith(origin: Origin, { inbox }: IntakeParts): Promise<TurnId | undefined> {
  if (origin.kind !== 'retry' && origin.kind !== 'regenerate') return undefined;
  const earlier = await inbox.find(origin.of);
  if (earlier !== undefined && earlier.state !== 'waiting' && earlier.state !== 'running') return earlier.id;
  throw new BridgeError(
    'usage',
    `Turn ${origin.of} has not ended or is not known, so it cannot be repeated.`,
    {
      tellUser: 'This answer cannot be repeated any more. Please ask the question again.',
    },
  );
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
