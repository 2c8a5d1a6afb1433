/** What a reply looks like after a call of its stream. Pure. */

import { GROWING } from '../../../src/kit/emission.ts';
import { shownOf, weaker, withPart } from '../../../src/kit/reply-part.ts';
import { hashOf } from '../../../src/kit/shown.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import type { Of } from './calls.ts';
import { DROPPED, STOPPED, TOO_BIG } from './outcomes.ts';
import { type Emitted, MIN_CHARS, type TeamsPart, type TeamsScreen } from './screen.ts';
import type { Happened } from './setting.ts';
import { adornments, blankPart, closed, isUnsaid, lostFrom, onwardAt, stoppedPart } from './shapes.ts';
import { stepsMark } from './stream-moves.ts';

export function startAfter(screen: TeamsScreen, call: Of<'start'>, happened: Happened): TeamsScreen {
  const { document, begin, says, to } = call;
  const { outcome, now, setting } = happened;
  if (outcome.kind === 'refused') return { ...screen, streamless: true };
  if (outcome.kind === 'unknown' || outcome.id === undefined)
    return lostFrom(screen, { begin, says: says === 'text', now });
  const blank = blankPart({ id: outcome.id, begin, form: 'rich', now });
  const part: TeamsPart = { ...blank, live: true, emitted: { state: begin, sequence: 0 } };
  const source = document.text.slice(0, to);
  const first = says === 'text' ? setting.emitter.emit(source, begin, GROWING).state : begin;
  const emitted = { state: first, sequence: 1, ...lineOf(document, says) };
  return { ...screen, rung: 'native', parts: [...screen.parts, showing(part, document, emitted)] };
}

const lineOf = (document: ReplyDocument, says: 'steps' | 'text') =>
  says === 'steps' ? { line: stepsMark(document) } : {};

/** The stream as it is when it has come so far. */
function showing(part: TeamsPart, document: ReplyDocument, emitted: Emitted): TeamsPart {
  const { at } = emitted.state;
  const hash = hashOf(document.text.slice(part.from, at));
  return { ...part, emitted, hash, shown: shownOf(document, at) };
}

/**
 * A call whose outcome is unknown is made again with its number: Teams drops it where the first one arrived, and each
 * holds the whole text (response codes on Microsoft's page on streaming bot messages).
 */
export function streamAfter(screen: TeamsScreen, call: Of<'stream'>, happened: Happened): TeamsScreen {
  const { document, index, part, says } = call;
  const { outcome, setting } = happened;
  const { emitted } = part;
  if (emitted === undefined) return screen;
  const state =
    says === 'text' ? setting.emitter.emit(document.text, emitted.state, GROWING).state : emitted.state;
  const next = { state, sequence: emitted.sequence + 1, ...lineOf(document, says) };
  if (outcome.kind === 'done') return withPart(screen, index, showing(part, document, next));
  if (outcome.kind === 'unknown') {
    const again = { ...next, sequence: emitted.sequence, again: true as const };
    return withPart(screen, index, showing(part, document, again));
  }
  return streamRefused(screen, call, { emitted, detail: outcome.detail });
}

interface Refused {
  readonly emitted: Emitted;
  readonly detail: string | undefined;
}

function streamRefused(
  screen: TeamsScreen,
  { document, index, part }: Of<'stream'>,
  { emitted, detail }: Refused,
): TeamsScreen {
  switch (detail) {
    case DROPPED: {
      const later = { ...emitted, sequence: emitted.sequence + 1, again: true as const };
      return withPart(screen, index, { ...part, emitted: later });
    }
    case STOPPED:
      return { ...withPart(screen, index, stoppedPart(part, document)), rung: 'edits' };
    case TOO_BIG: {
      // Without a word of the answer there is nothing to close it with: it is ended as it is, and edits say the words.
      const isEmpty = isUnsaid(part.begin, emitted);
      return shorter(withPart(screen, index, isEmpty ? unsure(part) : full({ ...part, emitted })));
    }
    default:
      return withPart(screen, index, { ...part, sure: false });
  }
}

const full = (part: TeamsPart): TeamsPart =>
  part.emitted === undefined ? part : { ...part, emitted: { ...part.emitted, full: true } };

const unsure = (part: TeamsPart): TeamsPart => ({ ...full(part), sure: false });

const shorter = (screen: TeamsScreen): TeamsScreen => ({
  ...screen,
  chars: Math.max(MIN_CHARS, Math.floor(screen.chars / 2)),
});

export function finalAfter(screen: TeamsScreen, call: Of<'final'>, happened: Happened): TeamsScreen {
  const { document, index, part } = call;
  const { outcome } = happened;
  if (outcome.kind === 'unknown') return withPart(screen, index, { ...part, sure: false });
  if (outcome.kind === 'done') return ended(screen, call, happened);
  if (outcome.detail === STOPPED)
    return { ...withPart(screen, index, stoppedPart(part, document)), rung: 'edits' };
  // A stream that is not ended takes no edits: it is ended with what it shows, and edits bring the rest.
  if (outcome.detail === TOO_BIG && call.why !== 'repair')
    return shorter(withPart(screen, index, unsure(part)));
  const mayBeSimpler = outcome.why === 'invalid' && call.why !== 'repair' && part.form !== 'plain';
  if (mayBeSimpler) return withPart(screen, index, { ...part, form: weaker[part.form] });
  return { ...withPart(screen, index, { ...closed(part), sure: false }), rung: 'edits' };
}

function ended(screen: TeamsScreen, call: Of<'final'>, { setting }: Happened): TeamsScreen {
  const { document, index, part, why, to } = call;
  const { emitted } = part;
  const put = (now: TeamsPart): TeamsScreen => withPart(screen, index, now);
  if (why === 'repair' || emitted === undefined)
    return { ...put({ ...closed(part), sure: false }), rung: 'edits' };
  const from = emitted.state;
  if (why === 'late') {
    const { state } = setting.emitter.emit(document.text, from, GROWING);
    return { ...put(closed(showing(part, document, { ...emitted, state }))), rung: 'edits' };
  }
  if (why === 'rotate' && to !== undefined) {
    const onward = onwardAt(from, { document, setting, to });
    const whole = showing(part, document, { ...emitted, state: { ...onward, at: to } });
    return put({ ...closed(whole), to, onward, sure: part.form === 'rich' });
  }
  return put(atTheEnd(part, document, emitted));
}

/** A stream's marks keep the numbers that they were written with; what shows nothing yet is written as it should be. */
function atTheEnd(part: TeamsPart, document: ReplyDocument, emitted: Emitted): TeamsPart {
  const { text } = document;
  return {
    ...closed(part),
    sure: part.form === 'rich',
    ended: true,
    shown: shownOf(document, text.length),
    hash: hashOf(text.slice(part.from)),
    looks: isUnsaid(part.begin, emitted) ? adornments(document, part) : '',
  };
}
