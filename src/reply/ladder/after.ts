/** Computes a reply's screen after a call. Pure. */

import { isFinal, type ReplyDocument } from '../../core/reply.ts';
import { hasWords } from './extent.ts';
import { afterFind, isLater, lostNow } from './lost.ts';
import {
  blankPart,
  closed,
  endedStream,
  isLive,
  isUnsaid,
  RICHEST,
  stands,
  stoppedPart,
  streaming,
  unsure,
  withPart,
  written,
} from './part.ts';
import {
  type Call,
  type LadderPart,
  type LadderScreen,
  type Lost,
  type Of,
  REFUSED,
  type Result,
  type Surface,
} from './surface.ts';

/**
 * Maximum number of consecutive edits with an unknown outcome, for one message. After that many edits, the message's
 * text is posted again as a new message (fault F18).
 */
const MAX_EDITS = 5;
/** Number of refused attempts to stop a stream after which the stream counts as stuck. */
const MAX_STOPS = 2;

export interface Happened {
  readonly outcome: Result;
  readonly now: number;
}

type Refused = Extract<Result, { kind: 'refused' }>;

/** @param screen the screen that `settled` has returned */
export function screenAfter(
  screen: LadderScreen,
  call: Call,
  happened: Happened,
  surface: Surface,
): LadderScreen {
  const { outcome, now } = happened;
  const isGone = outcome.kind === 'refused' && outcome.why === 'gone';
  if (call.kind === 'delete') return afterDelete(screen, call, outcome);
  if (isGone) return deletedEarlier(screen, call) ?? surface.afterGone(screen, outcome.detail);
  if (call.kind === 'find') return afterFind(screen, call, happened, surface);
  if (isLater(outcome)) return screen;
  const isUnwritable = outcome.kind === 'refused' && outcome.detail === REFUSED.unwritable;
  if (isUnwritable && 'part' in call) return { ...givenUp(screen, call), rung: 'edits' };
  switch (call.kind) {
    case 'start':
    case 'post':
      if (outcome.kind === 'refused') return openRefused(screen, call, outcome, surface);
      return outcome.kind === 'unknown' || outcome.id === undefined
        ? { ...screen, doubted: true, lost: lostBy(call, now, surface) }
        : opened(screen, call, { id: outcome.id, now }, surface);
    case 'append':
      return afterAppend(screen, call, outcome, surface);
    case 'stop':
      return afterStop(screen, call, outcome, surface);
    case 'update':
      return afterUpdate(screen, call, outcome, surface);
  }
}

/**
 * Removes the message from the screen even if the channel refused to delete it. The message then stays visible in the
 * channel.
 */
function afterDelete(screen: LadderScreen, { index, part }: Of<'delete'>, outcome: Result): LadderScreen {
  if (isLater(outcome)) return screen;
  if (outcome.kind === 'unknown') return withPart(screen, index, { ...part, maybeDeleted: true });
  return { ...screen, parts: screen.parts.toSpliced(index, 1) };
}

/**
 * Returns the screen without a message that the bridge itself may have deleted, and without the messages below it,
 * because the bridge deletes messages from the last to the first. Their text is posted again. Returns undefined if
 * people deleted the message.
 */
function deletedEarlier(screen: LadderScreen, call: Call): LadderScreen | undefined {
  if (!('part' in call) || call.part.maybeDeleted === undefined) return undefined;
  return { ...screen, parts: screen.parts.slice(0, call.index) };
}

function lostBy(call: Of<'start' | 'post'>, now: number, surface: Surface): Lost {
  const { kind, document, begin, to } = call;
  const says = isFinal(document) || hasWords(surface.emitter, document.text.slice(0, to), begin);
  const mark = kind === 'post' ? surface.textMark?.(call) : undefined;
  return lostNow({ begin, says, live: kind === 'start', ...(mark !== undefined && { mark }) }, now);
}

function openRefused(
  screen: LadderScreen,
  call: Of<'start' | 'post'>,
  { detail }: Refused,
  surface: Surface,
): LadderScreen {
  if (call.kind === 'start') return { ...screen, streamless: true };
  const length = (call.to ?? call.document.text.length) - call.begin.at;
  const chars = detail === REFUSED.tooBig ? fewer(screen, length, surface) : undefined;
  if (chars !== undefined) return { ...screen, chars };
  return { ...screen, form: surface.simpler(call.form, call) ?? screen.form };
}

/**
 * Returns half of the length that was too large. Returns undefined if that half is below `leastChars`, because then
 * the length is not the reason for the refusal.
 */
function fewer(
  { chars = Number.POSITIVE_INFINITY }: LadderScreen,
  length: number,
  { leastChars = Number.POSITIVE_INFINITY }: Surface,
): number | undefined {
  const half = Math.floor(Math.min(chars, length) / 2);
  return half >= leastChars ? half : undefined;
}

function opened(
  screen: LadderScreen,
  call: Of<'start' | 'post'>,
  { id, now }: { readonly id: string; readonly now: number },
  surface: Surface,
): LadderScreen {
  const { document, begin, to } = call;
  if (call.kind === 'start') {
    const blank = { ...blankPart(id, begin, RICHEST, now), live: true };
    const part = streaming(blank, document, surface.stream.start(document, begin, to));
    return { ...screen, rung: 'native', parts: [...screen.parts, part] };
  }
  const blank = blankPart(id, begin, call.form, now);
  const part = written(blank, { screen, document }, to, surface);
  return { ...screen, rung: isFinal(document) ? 'edits' : call.rung, parts: [...screen.parts, part] };
}

function afterAppend(
  screen: LadderScreen,
  call: Of<'append'>,
  outcome: Result,
  surface: Surface,
): LadderScreen {
  const { document, index, part, to } = call;
  const put = (now: LadderPart): LadderScreen => withPart(screen, index, now);
  const { stream } = surface;
  if (!isLive(part)) return screen;
  if (outcome.kind === 'done') return put(streaming(part, document, stream.advance(document, part, to)));
  const repeated = (why: 'unknown' | 'dropped'): LadderScreen => {
    const emitted = stream.repeat?.(document, part, why);
    return put(emitted === undefined ? unsure(part) : streaming(part, document, emitted));
  };
  if (outcome.kind === 'unknown') return repeated('unknown');
  switch (outcome.detail) {
    case REFUSED.stopped:
      return { ...put(stoppedPart(part, document)), rung: 'edits' };
    case REFUSED.over:
      return { ...put(closed(part)), rung: 'edits' };
    case REFUSED.dropped:
      return repeated('dropped');
    case REFUSED.tooBig: {
      // A stream that shows only steps cannot end with its current content, so an edit replaces it with the answer.
      const full: LadderPart = { ...part, emitted: { ...part.emitted, full: true } };
      return shorter(put(isUnsaid(part) ? unsure(full) : full), surface);
    }
    default:
      return put(unsure(part));
  }
}

function shorter(screen: LadderScreen, { leastChars }: Surface): LadderScreen {
  const { chars } = screen;
  if (chars === undefined || leastChars === undefined) return screen;
  return { ...screen, chars: Math.max(leastChars, Math.floor(chars / 2)) };
}

function afterStop(screen: LadderScreen, call: Of<'stop'>, outcome: Result, surface: Surface): LadderScreen {
  const { document, index, part, why } = call;
  const put = (now: LadderPart): LadderScreen => withPart(screen, index, now);
  if (outcome.kind === 'unknown') return put(unsure(part));
  if (outcome.kind === 'refused') return stopRefused(screen, call, outcome, surface);
  if (why === 'repair' || part.emitted === undefined) return { ...put(unsure(closed(part))), rung: 'edits' };
  const { part: shown, onward } = endedStream(part, part.emitted, call, surface);
  const sure = part.form === RICHEST;
  if (why === 'late') return { ...put(shown), rung: 'edits' };
  if (why === 'rotate') return put({ ...shown, to: onward.at, onward, sure });
  // A stream's text cannot change, so its source marks and reference links stay as they were when the stream wrote
  // them.
  const visible: ReplyDocument = isUnsaid(part) ? document : { ...document, sources: [], text: '' };
  const looks = surface.editableKey({ screen, document: visible }, part);
  return put({ ...shown, sure, ended: true, looks });
}

/** Stops the stream again without further content. After `MAX_STOPS` refusals, edits show the text instead. */
function stopRefused(
  screen: LadderScreen,
  call: Of<'stop'>,
  { why: cause, detail }: Refused,
  surface: Surface,
): LadderScreen {
  const { document, index, part, why } = call;
  const put = (now: LadderPart): LadderScreen => withPart(screen, index, now);
  if (detail === REFUSED.stopped) return { ...put(stoppedPart(part, document)), rung: 'edits' };
  if (detail === REFUSED.tooBig && why !== 'repair') return shorter(put(unsure(part)), surface);
  if (cause === 'not-live') return { ...put(unsure(closed(part))), rung: 'edits' };
  const form = (why === 'end' ? surface.simpler(part.form, call) : undefined) ?? part.form;
  const failures = part.failures + 1;
  const simpler = { ...unsure(part), form };
  if (failures < MAX_STOPS) return put({ ...simpler, failures });
  return { ...put({ ...closed(simpler), failures: 0, stuck: true }), rung: 'edits' };
}

function afterUpdate(
  screen: LadderScreen,
  call: Of<'update'>,
  outcome: Result,
  surface: Surface,
): LadderScreen {
  const { document, index, part, to } = call;
  if (outcome.kind === 'refused') return updateRefused(screen, call, outcome, surface);
  if (outcome.kind === 'done')
    return {
      ...withPart(screen, index, written(part, { screen, document }, to, surface)),
      rung: 'edits',
    };
  const failures = part.failures + 1;
  if (failures >= MAX_EDITS && isFinal(document)) return givenUp(screen, call);
  return withPart(screen, index, { ...unsure(part), failures });
}

function updateRefused(
  screen: LadderScreen,
  call: Of<'update'>,
  { why, detail }: Refused,
  surface: Surface,
): LadderScreen {
  const { document, index, part } = call;
  const put = (now: LadderPart): LadderScreen => withPart(screen, index, now);
  if (detail === REFUSED.stopped) return put(stoppedPart(part, document));
  // While a stream is open, channels refuse to edit its message, so the next call stops the stream.
  const isOpen = detail === REFUSED.stillLive || detail === REFUSED.over;
  if (isOpen && !part.stuck) return put({ ...unsure(part), live: true });
  if (why !== 'invalid') return givenUp(screen, call);
  const shortened = detail === REFUSED.tooBig ? shorterUpdate(put(unsure(part)), call, surface) : undefined;
  if (shortened !== undefined) return shortened;
  const form = surface.simpler(part.form, call);
  if (form !== undefined) return put({ ...unsure(part), form });
  return givenUp({ ...screen, form: surface.anew ?? screen.form }, call);
}

/**
 * Returns the screen with a lower limit, so that the text after the last message's shown text goes into the next
 * message. Returns undefined if the lower limit would not make the message shorter.
 */
function shorterUpdate(
  screen: LadderScreen,
  { document, index, part, to = document.text.length }: Of<'update'>,
  surface: Surface,
): LadderScreen | undefined {
  const chars = index === screen.parts.length - 1 ? fewer(screen, to - part.from, surface) : undefined;
  if (chars === undefined) return undefined;
  const shortened = { ...screen, chars };
  const end = surface.cut({ screen: shortened, document }, part);
  return end !== undefined && end < to ? shortened : undefined;
}

/**
 * Gives up a message that accepts no more edits. If it is the last message and incomplete, its text is posted again
 * below it. The same happens if the text was rewritten; the messages after it then stay as they are, too.
 */
function givenUp(
  screen: LadderScreen,
  { document, index, part }: Of<'append' | 'stop' | 'update'>,
): LadderScreen {
  const isSame = stands(part, document);
  const isWhole = part.ended && isSame && part.shown?.length === document.text.length;
  const later = screen.parts.slice(index + 1).map(({ id }) => id);
  const left: LadderPart = { ...closed(part), left: true };
  if (isWhole || (isSame && later.length > 0)) return withPart(screen, index, left);
  const { begin, from } = part;
  const parts = screen.parts.toSpliced(index, Infinity, { ...left, to: from, onward: begin });
  return { ...screen, parts, ...(later.length > 0 && { beside: [...(screen.beside ?? []), ...later] }) };
}
