/** What a reply looks like after a call. Pure, and the only place where a rung changes. */

import { isBlank } from '../../../src/kit/extent.ts';
import { weaker, withPart } from '../../../src/kit/reply-part.ts';
import { stands } from '../../../src/kit/shown.ts';
import { isFinal, type Outcome } from '../../../src/kit.ts';
import { TYPING_MS } from '../limits.ts';
import { cardAfter, uncardAfter } from './after-card.ts';
import { finalAfter, startAfter, streamAfter } from './after-stream.ts';
import type { Call, Of } from './calls.ts';
import { MESSAGE, STOPPED, TOO_BIG } from './outcomes.ts';
import { cardsOf, type Lost, MIN_CHARS, type TeamsScreen } from './screen.ts';
import type { Happened } from './setting.ts';
import { blankPart, goneFrom, lostFrom, stoppedPart, written } from './shapes.ts';

/** Edits of one message in a row whose outcome stays unknown; then the text is posted anew (fault F18). */
const MAX_EDITS = 5;

/** @param screen as `settled` gives it */
export function screenAfter(screen: TeamsScreen, call: Call, happened: Happened): TeamsScreen {
  const { outcome } = happened;
  if (call.kind === 'find') return afterFind(screen, call, happened);
  if (isLater(outcome)) return screen;
  if (call.kind === 'delete') return afterDelete(screen, call, outcome);
  if (call.kind === 'card') return cardAfter(screen, call, happened);
  if (call.kind === 'uncard') return uncardAfter(screen, call, happened);
  if (outcome.kind === 'refused' && outcome.why === 'gone') return goneAfter(screen, outcome.detail);
  switch (call.kind) {
    case 'typing':
      return { ...screen, reviewAt: happened.now + TYPING_MS };
    case 'start':
      return startAfter(screen, call, happened);
    case 'stream':
      return streamAfter(screen, call, happened);
    case 'final':
      return finalAfter(screen, call, happened);
    case 'post':
      return afterPost(screen, call, happened);
    case 'update':
      return afterUpdate(screen, call, happened);
  }
}

/** The text is gone: what stands under it goes, too, where the conversation is still open to us. */
function goneAfter(screen: TeamsScreen, detail: string | undefined): TeamsScreen {
  const orphans = cardsOf(screen);
  const gone = goneFrom(screen);
  return detail === MESSAGE && orphans.length > 0 ? { ...gone, orphans } : gone;
}

/** Nothing happened, and the same call may be taken later. */
const isLater = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && (outcome.why === 'rate' || outcome.why === 'busy');

function afterFind(
  screen: TeamsScreen,
  { document, lost }: Of<'find'>,
  { outcome, now }: Happened,
): TeamsScreen {
  const { lost: _, ...rest } = screen;
  const sought = (change: Partial<Lost>): TeamsScreen => ({ ...screen, lost: { ...lost, ...change } });
  // While the reply runs nothing is lost by looking again and again.
  if (outcome.kind === 'unknown' || isLater(outcome))
    return isFinal(document) ? sought({ failures: lost.failures + 1 }) : screen;
  if (outcome.kind === 'refused') return sought({ blind: true });
  if (outcome.id === undefined) return sought({ misses: lost.misses + 1, failures: 0 });
  const owner = lost.card === undefined ? undefined : screen.parts[lost.card];
  if (owner !== undefined && lost.card !== undefined) {
    const card = { id: outcome.id, mark: 0, sure: false, failures: 0 };
    return withPart(rest, lost.card, { ...owner, card });
  }
  const blank = blankPart({ id: outcome.id, begin: lost.begin, form: screen.form, now });
  const shown = { version: -1, rewrites: document.rewrites, length: lost.begin.at };
  return { ...rest, rung: 'edits', parts: [...screen.parts, { ...blank, sure: false, shown }] };
}

/** One that cannot be deleted is left. */
function afterDelete(screen: TeamsScreen, { index }: Of<'delete'>, outcome: Outcome): TeamsScreen {
  return outcome.kind === 'unknown' ? screen : { ...screen, parts: screen.parts.toSpliced(index, 1) };
}

function afterPost(screen: TeamsScreen, call: Of<'post'>, { outcome, now, setting }: Happened): TeamsScreen {
  const { document, begin, to, form } = call;
  if (outcome.kind === 'refused') {
    const chars =
      outcome.detail === TOO_BIG ? fewer(screen, (to ?? document.text.length) - begin.at) : undefined;
    return chars === undefined ? { ...screen, form: weaker[screen.form] } : { ...screen, chars };
  }
  if (outcome.kind === 'unknown' || outcome.id === undefined) {
    const says = isFinal(document) || !isBlank(document.text, begin.at);
    return lostFrom(screen, { begin, says, now });
  }
  const blank = blankPart({ id: outcome.id, begin, form, now });
  const part = written(blank, { document, setting, ...(to !== undefined && { to }) });
  return { ...screen, rung: 'edits', parts: [...screen.parts, part] };
}

/** How many characters a message may have where Teams found so many too large; nothing where it is not its text. */
function fewer({ chars }: TeamsScreen, length: number): number | undefined {
  const half = Math.floor(Math.min(chars, length) / 2);
  return half >= MIN_CHARS ? half : undefined;
}

function afterUpdate(screen: TeamsScreen, call: Of<'update'>, { outcome, setting }: Happened): TeamsScreen {
  const { document, index, part, to } = call;
  if (outcome.kind === 'unknown') return editFailed(screen, call);
  if (outcome.kind === 'done') {
    const now = written(part, { document, setting, ...(to !== undefined && { to }) });
    return { ...withPart(screen, index, now), rung: 'edits' };
  }
  if (outcome.detail === STOPPED) return withPart(screen, index, stoppedPart(part, document));
  return outcome.why === 'invalid' ? editRefused(screen, call, outcome.detail) : givenUp(screen, call);
}

function editFailed(screen: TeamsScreen, call: Of<'update'>): TeamsScreen {
  const { document, index, part } = call;
  const failures = part.failures + 1;
  if (failures >= MAX_EDITS && isFinal(document)) return givenUp(screen, call);
  return withPart(screen, index, { ...part, sure: false, failures });
}

function editRefused(screen: TeamsScreen, call: Of<'update'>, detail: string | undefined): TeamsScreen {
  const { document, index, part, to } = call;
  const unsure = { ...part, sure: false };
  // The last message can be made shorter, with the rest in the next one.
  const isLast = index === screen.parts.length - 1;
  const chars =
    detail === TOO_BIG && isLast ? fewer(screen, (to ?? document.text.length) - part.from) : undefined;
  if (chars !== undefined) return { ...withPart(screen, index, unsure), chars };
  if (part.form === 'plain') return givenUp(screen, call);
  return withPart(screen, index, { ...unsure, form: weaker[part.form] });
}

/** A message that takes no more edits stays as it is; what belongs there is posted anew after it, unless it shows it. */
function givenUp(screen: TeamsScreen, { document, index, part }: Of<'update'>): TeamsScreen {
  const isWhole = part.ended && stands(part, document) && part.shown?.length === document.text.length;
  if (isWhole || index < screen.parts.length - 1) return withPart(screen, index, { ...part, left: true });
  const { begin, from } = part;
  return withPart(screen, index, { ...part, left: true, to: from, onward: begin });
}
