/** What people think of an answer: one word for each person and version, changeable, and a note if they like. */

import type { Intake, Kept } from '../channel/events.ts';
import { isOf } from '../message.ts';
import { replyOf } from '../stores/shelf.ts';
import type { IntakeParts } from './keeping.ts';

/** Longest note that is kept, UTF-16 units. */
const NOTE_CHARS = 2_000;

export async function noteFeedback(
  { turn: id, thread, by, verdict, note }: Extract<Intake, { kind: 'feedback' }>,
  { inbox, feedback, clock, witness }: IntakeParts,
): Promise<Kept> {
  const turn = await inbox.find(id);
  if (turn === undefined || !isOf(thread, turn)) return { kind: 'nothing' };
  const { channel, tenant, room } = turn.message.thread;
  const said = note?.trim().slice(0, NOTE_CHARS).toWellFormed();
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
    ...(said !== undefined && said !== '' && { note: said }),
  });
  witness.see({ turn: id, at, name: 'feedback', detail: { verdict } });
  return { kind: 'noted' };
}
