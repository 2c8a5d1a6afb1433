/**
 * Creates the writer for a channel that posts, edits and streams messages; a `Surface` describes the channel.
 * `next.ts` chooses the next calls, `after.ts` computes the screen after a call, `lost.ts` handles posts of unknown
 * outcome, and `extent.ts` finds where a message is full.
 */

import type { ReplyWriter } from '../../core/channel/adapter.ts';
import { isFinal } from '../../core/reply.ts';
import type { Outcome } from '../../core/screen.ts';
import type { Turn } from '../../core/turn.ts';
import type { ShownMessage, TellingWriter } from '../events.ts';
import { type Happened, screenAfter } from './after.ts';
import { settled, storedLost, takenOver } from './lost.ts';
import { nextMoves } from './next.ts';
import { stored } from './part.ts';
import type { Call, LadderScreen, OwnCall, Surface } from './surface.ts';

export function createLadder(turn: Turn, surface: Surface): TellingWriter {
  const next = (screen: LadderScreen, document: Call['document'], now: number) =>
    nextMoves({ screen: settled(screen, document, surface), document, now }, surface);
  return {
    ...(surface.ends && { ends: surface.ends }),
    blank: () => (turn.attempt > 1 ? takenOver(surface.blank(), turn, surface) : surface.blank()),
    next: (screen, document, now) => next(own(screen), document, now),
    after(screen, move, outcome, now) {
      const call = callOf(move);
      const { document } = call;
      const before = settled(own(screen), document, surface);
      const after = isText(call, surface)
        ? afterText(before, call, { outcome, now }, surface)
        : surface.afterOwn(before, call, outcome, now);
      if (after.gone) return { ...after, finished: true };
      return { ...after, finished: isFinal(document) && next(after, document, now).length === 0 };
    },
    perform: (move, signal) => surface.perform(callOf(move), signal),
    shownBy: (move, outcome) => shownBy(callOf(move), outcome, surface),
    resume(screen) {
      const { gone, lost, ...rest } = own(screen);
      if (gone) return { ...screen, finished: true };
      const known = { ...surface.blank(), ...rest, parts: screen.parts.map(stored), finished: false };
      return takenOver({ ...known, ...(lost && { lost: storedLost(lost) }) }, turn, surface);
    },
  };
}

function shownBy(call: Call | OwnCall, outcome: Outcome, surface: Surface): ShownMessage | undefined {
  if (outcome.kind !== 'done' || call.kind === 'delete') return undefined;
  const { document } = call;
  if (!isText(call, surface)) {
    const id = call.id ?? outcome.id;
    return call.part && id !== undefined ? { id, begin: call.part.begin, document } : undefined;
  }
  if ('part' in call) return { id: call.part.id, begin: call.part.begin, document };
  const { begin } = call.kind === 'find' ? call.lost : call;
  return outcome.id === undefined ? undefined : { id: outcome.id, begin, document };
}

function afterText(before: LadderScreen, call: Call, happened: Happened, surface: Surface): LadderScreen {
  const after = screenAfter(before, call, happened, surface);
  return happened.outcome.kind === 'done' ? (surface.alsoDone?.(after, call) ?? after) : after;
}

const isText = (call: Call | OwnCall, { families }: Surface): call is Call => call.kind in families;

/** These casts are safe, because the core passes a writer only the screens and calls that this writer created. */
const own = (screen: ReturnType<ReplyWriter['blank']>): LadderScreen => screen as LadderScreen;
const callOf = ({ call }: { readonly call: unknown }): Call | OwnCall => call as Call | OwnCall;
