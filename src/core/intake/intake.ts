/** An event comes in: checked, kept, and only then acknowledged. Stops, edits and deletions bypass the lane. */

import type { Intake, Kept } from '../channel/events.ts';
import { parseCommand } from '../commands/reading.ts';
import type { TurnId } from '../ids.ts';
import { isOf, laneOf, type Message, type Origin, type Person, type ThreadRef } from '../message.ts';
import { words } from '../words.ts';
import { noteFeedback } from './feedback.ts';
import { type IntakeParts, keep } from './keeping.ts';
import { repeat } from './repeating.ts';
import { remove, rewrite } from './rewriting.ts';
import { askForVersion } from './showing.ts';

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
      case 'show':
        return askForVersion(event, parts);
      case 'delete':
        return remove(event, parts);
      case 'feedback':
        return noteFeedback(event, parts);
    }
  };
}

async function ask(message: Message, origin: Origin, parts: IntakeParts): Promise<Kept> {
  if (parseCommand(message.text)?.name === 'stop') {
    const stopped = await stop(message.thread, message.sender, { parts });
    if (stopped.kind === 'stopped') return stopped;
  }
  const repeated = await repeat(message, origin, parts);
  if (repeated.kind === 'lost') return { kind: 'refused', tellUser: words.notRepeatable };
  return repeated.kind === 'duplicate' ? repeated : keep(repeated.asking, parts, parts.inbox.add);
}

async function stop(
  thread: ThreadRef,
  by: Person,
  { parts, turn }: { parts: IntakeParts; turn?: TurnId | undefined },
): Promise<Kept> {
  const { inbox } = parts;
  const found = await (turn === undefined ? inbox.current(laneOf(thread)) : inbox.find(turn));
  if (found === undefined || !isOf(thread, found)) return { kind: 'nothing-to-stop' };
  const met = await inbox.interrupt(found.id, { kind: 'stop', by: by.id });
  return { kind: met === 'none' ? 'nothing-to-stop' : 'stopped' };
}
