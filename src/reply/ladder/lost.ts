/** Messages of which it is unknown whether they were made: looked up, or not sent again before the end (fault F28). Pure. */

import { isFinal, type ReplyDocument } from '../../core/reply.ts';
import type { Outcome } from '../../core/screen.ts';
import type { Turn } from '../../core/turn.ts';
import { blankPart, FIRST, unsure } from './part.ts';
import type { LadderPart, LadderScreen, Lost, Of, Result, Surface } from './surface.ts';

/** Milliseconds before a call ended in which the message may have been made: the call's time, and clocks that differ. */
const LOOK_BACK_MS = 60_000;

/** True if the call surely did nothing and may be made again later. */
export const isLater = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && (outcome.why === 'rate' || outcome.why === 'busy');

/** A message whose call ended now. */
export function lostNow(lost: Pick<Lost, 'begin' | 'says' | 'live' | 'card'>, now: number): Lost {
  return { ...lost, since: now - LOOK_BACK_MS, misses: 0, failures: 0 };
}

/** A stored one, with what screens of earlier versions lack. */
export const storedLost = (lost: Partial<Lost> & Pick<Lost, 'begin'>): Lost => ({
  says: true,
  since: 0,
  misses: 0,
  failures: 0,
  ...lost,
});

/** True while a message of unknown outcome is still looked for. */
export const isSought = ({ blind, failures }: Lost, { search }: Surface): boolean =>
  search !== undefined && !blind && failures < search.failures;

/** The screen to go on with: decides what can no longer be found out. */
export function settled(screen: LadderScreen, document: ReplyDocument, surface: Surface): LadderScreen {
  const isOthers = (part: LadderPart) =>
    part.stopped !== undefined && part.stopped !== document.turn && part.to === undefined;
  if (!screen.parts.some(isOthers)) return withoutLost(screen, document, surface);
  // A message in which a person stopped another turn's stream stays as it is; this turn's answer stands after it.
  const parts = screen.parts.map((part) =>
    isOthers(part) ? { ...part, to: part.from, onward: part.begin } : part,
  );
  return withoutLost({ ...screen, parts }, document, surface);
}

/** A message that may stand there and shows text of the answer is sent again only at the reply's end, and only once. */
function withoutLost(screen: LadderScreen, document: ReplyDocument, surface: Surface): LadderScreen {
  if (screen.lost === undefined || isSought(screen.lost, surface)) return screen;
  const { lost, ...rest } = screen;
  if (lost.card !== undefined) return surface.card?.(rest, lost.card, undefined) ?? rest;
  if (!lost.says) return { ...rest, streamless: true, hushed: true };
  if (!isFinal(document)) return screen;
  return screen.unconfirmed ? { ...rest, gone: true } : { ...rest, unconfirmed: true };
}

/** The screen after a look-up. */
export function afterFind(
  screen: LadderScreen,
  { document, lost }: Of<'find'>,
  { outcome, now }: { readonly outcome: Result; readonly now: number },
  surface: Surface,
): LadderScreen {
  const { lost: _, ...rest } = screen;
  const seek = (change: Partial<Lost>): LadderScreen => ({ ...screen, lost: { ...lost, ...change } });
  // While the reply runs, a further look-up costs nothing.
  if (outcome.kind === 'unknown' || isLater(outcome))
    return isFinal(document) ? seek({ failures: lost.failures + 1 }) : screen;
  if (outcome.kind === 'refused') return seek({ blind: true });
  if (outcome.id === undefined) {
    const misses = lost.misses + 1;
    return misses < (surface.search?.misses ?? 0) ? seek({ misses, failures: 0 }) : rest;
  }
  if (lost.card !== undefined) return surface.card?.(rest, lost.card, outcome.id) ?? rest;
  const blank = blankPart({ id: outcome.id, begin: lost.begin, form: screen.form, now });
  const shown = { version: -1, rewrites: document.rewrites, length: lost.begin.at };
  const found = { ...unsure(blank), live: 'live' in outcome, shown };
  return { ...rest, rung: 'edits', parts: [...screen.parts, found] };
}

/** The screen of a process that takes a turn over: an earlier one may have written without living to record it. */
export function takenOver(screen: LadderScreen, turn: Turn, surface: Surface): LadderScreen {
  const taken = surface.resumed(screen);
  const last = taken.parts.at(-1);
  const begin = last === undefined ? FIRST : last.onward;
  const { search } = surface;
  const looks = search !== undefined && (search.always || turn.attempt > 1);
  if (begin === undefined || !looks || taken.lost !== undefined) return taken;
  return { ...taken, lost: lostNow({ begin, says: true, live: true }, turn.keptAt) };
}
