/**
 * Handles messages whose post has an unknown outcome. They are looked up; if the channel has no look-up, they are not
 * posted again before the reply's end (fault F28). Pure.
 */

import { isFinal, type ReplyDocument } from '../../core/reply.ts';
import type { Outcome } from '../../core/screen.ts';
import { isRepair, type Turn } from '../../core/turn.ts';
import { blankPart, FIRST, unsure } from './part.ts';
import type { LadderPart, LadderScreen, Lost, Of, Result, Surface } from './surface.ts';

/**
 * A look-up for a lost message ignores every message that was posted more than this many milliseconds before the end of
 * the call that posted the lost message. This allows for the duration of that call and for differences between clocks.
 */
const LOOK_BACK_MS = 60_000;

/** True if the call had no effect and can be repeated later. */
export const isLater = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && (outcome.why === 'rate' || outcome.why === 'busy');

/** Returns the record of a message whose post ended at `now` with an unknown outcome. */
export function lostNow(lost: Omit<Lost, 'since' | 'misses' | 'failures'>, now: number): Lost {
  return { ...lost, since: now - LOOK_BACK_MS, misses: 0, failures: 0 };
}

/** Returns the stored record of a lost message, with defaults for properties that earlier versions did not store. */
export const storedLost = (lost: Partial<Lost> & Pick<Lost, 'begin'>): Lost => ({
  says: true,
  since: 0,
  misses: 0,
  failures: 0,
  ...lost,
});

/** True if the message should still be looked up. */
export const isSought = ({ blind, failures }: Lost, { search }: Surface): boolean =>
  search !== undefined && !blind && failures < search.failures;

/**
 * Returns the screen with which the next call starts. Ends look-ups whose attempts are used up. If a person stopped the
 * stream of another turn, the message of this stream stays as it is.
 */
export function settled(screen: LadderScreen, document: ReplyDocument, surface: Surface): LadderScreen {
  const isOthers = (part: LadderPart) =>
    part.stopped !== undefined && part.stopped !== document.turn && part.to === undefined;
  if (!screen.parts.some(isOthers)) return withoutLost(screen, document, surface);
  // The message in which a person stopped another turn's stream stays as it is; this turn's answer goes into the next
  // message.
  const parts = screen.parts.map((part) =>
    isOthers(part) ? { ...part, to: part.from, onward: part.begin } : part,
  );
  return withoutLost({ ...screen, parts }, document, surface);
}

/**
 * Ends a look-up whose attempts are used up. If the message may show text of the answer, this text is posted again
 * only once, at the reply's end.
 */
function withoutLost(screen: LadderScreen, document: ReplyDocument, surface: Surface): LadderScreen {
  if (screen.lost === undefined || isSought(screen.lost, surface)) return screen;
  const { lost, ...rest } = screen;
  if (lost.card !== undefined) return surface.card?.(rest, lost.card, undefined) ?? rest;
  if (lost.stray !== undefined) return rest;
  if (!lost.says) return { ...rest, streamless: true, hushed: true };
  if (!isFinal(document)) return screen;
  return screen.unconfirmed ? { ...rest, gone: true } : { ...rest, unconfirmed: true };
}

/** Returns the screen after a look-up. */
export function afterFind(
  screen: LadderScreen,
  { document, lost }: Of<'find'>,
  { outcome, now }: { readonly outcome: Result; readonly now: number },
  surface: Surface,
): LadderScreen {
  const { lost: _, ...rest } = screen;
  const seek = (change: Partial<Lost>): LadderScreen => ({ ...screen, lost: { ...lost, ...change } });
  // A failed look-up counts only if the document is final; until then it is simply repeated.
  if (outcome.kind === 'unknown' || isLater(outcome))
    return isFinal(document) ? seek({ failures: lost.failures + 1 }) : screen;
  if (outcome.kind === 'refused') return seek({ blind: true });
  if (outcome.id === undefined) {
    const misses = lost.misses + 1;
    return misses < (surface.search?.misses ?? 0) ? seek({ misses, failures: 0 }) : rest;
  }
  if (lost.card !== undefined) return surface.card?.(rest, lost.card, outcome.id) ?? rest;
  if (lost.stray !== undefined) {
    // A message that begins after the end of the text is deleted. The look-up is repeated until it finds no more.
    const beyond = { at: document.text.length + 1, fresh: true };
    const stray = unsure(blankPart(outcome.id, beyond, screen.form, now));
    return { ...screen, parts: [...screen.parts, stray] };
  }
  const blank = blankPart(outcome.id, lost.begin, screen.form, now);
  const extent = { version: -1, rewrites: document.rewrites, length: lost.begin.at };
  const found = { ...unsure(blank), live: 'live' in outcome, shown: extent };
  return { ...rest, rung: 'edits', parts: [...screen.parts, found] };
}

/**
 * Returns the screen of a resumed turn. Assumes that the earlier process may have posted a message and crashed before
 * it recorded the message.
 */
export function takenOver(screen: LadderScreen, turn: Turn, surface: Surface): LadderScreen {
  const resumed = surface.resumed(screen);
  const { search } = surface;
  if (isRepair(turn)) {
    if (!search?.always || !resumed.doubted) return resumed;
    const since = resumed.parts[0]?.openedAt ?? turn.keptAt;
    return { ...resumed, lost: { ...lostNow({ begin: FIRST, says: false }, since), stray: true } };
  }
  const last = resumed.parts.at(-1);
  const begin = last === undefined ? FIRST : last.onward;
  const looks = search !== undefined && (search.always || turn.attempt > 1);
  if (begin === undefined || !looks || resumed.lost !== undefined) return resumed;
  return { ...resumed, lost: lostNow({ begin, says: true, live: true }, turn.keptAt) };
}
