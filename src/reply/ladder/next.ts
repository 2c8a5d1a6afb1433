/** Returns the calls that make a reply show its newest document, best first. Pure. */

import { isFinal } from '../../core/reply.ts';
import type { Move } from '../../core/screen.ts';
import type { Begin } from '../markdown/emission/emitter.ts';
import { hasWords, isBlank } from './extent.ts';
import { isSought } from './lost.ts';
import { FIRST, isLeft, isLive, stands } from './part.ts';
import type { Call, LadderPart, LivePart, Lost, Of, OpeningWay, Surface, View } from './surface.ts';

interface Now extends View {
  readonly now: number;
}

const NONE: readonly Move[] = [];

/** @param view the reply's document, with the screen that `settled` has returned */
export function nextMoves(view: Now, surface: Surface): readonly Move[] {
  const text = movesOfText(view, surface);
  const others = surface.ownCalls(view, text, view.now);
  return others.length === 0 ? text : [...text, ...others];
}

function movesOfText(view: Now, surface: Surface): readonly Move[] {
  const { screen, document } = view;
  if (screen.gone) return NONE;
  if (screen.lost !== undefined) return findMoves(view, screen.lost, surface);
  return document.state === 'withdrawn' ? withdrawMoves(view, surface) : growthMoves(view, surface);
}

function move(call: Call, essential: boolean, { families }: Surface, needs?: Move['needs']): Move {
  return { family: families[call.kind], essential, call, ...(needs && { needs }) };
}

function findMoves({ screen, document }: Now, lost: Lost, surface: Surface): readonly Move[] {
  if (!isSought(lost, surface)) return NONE;
  const { parts, beside = [] } = screen;
  const known = [...parts.map(({ id }) => id), ...beside];
  return [move({ kind: 'find', screen, document, index: parts.length, lost, known }, true, surface)];
}

/** One message of a reply, and its index among the reply's messages. */
interface At extends View {
  readonly index: number;
  readonly part: LadderPart;
}

function at({ screen, document }: View, index: number): At | undefined {
  const part = screen.parts[index];
  return part && { screen, document, index, part };
}

/**
 * Returns the calls that delete the messages one after another. A live stream is stopped first, because channels
 * refuse to delete it.
 */
function withdrawMoves(view: Now, surface: Surface): readonly Move[] {
  const last = at(view, view.screen.parts.length - 1);
  if (last === undefined) return NONE;
  return [last.part.live ? stop(last, { why: 'repair' }, surface) : removal(last, surface)];
}

function removal(part: At, surface: Surface): Move {
  return surface.first?.('delete', part, part.index) ?? move({ kind: 'delete', ...part }, true, surface);
}

const stop = (part: At, how: Pick<Of<'stop'>, 'why' | 'to'>, surface: Surface): Move =>
  move({ kind: 'stop', ...part, ...how }, true, surface);

function update(part: At, to: number | undefined, surface: Surface): Move {
  const call: Call = { kind: 'update', ...part, ...(to !== undefined && { to }) };
  const isEnd = isFinal(part.document) || part.document.postponed === true;
  return isEnd ? move(call, true, surface) : move(call, false, surface, surface.needs?.edits);
}

function growthMoves(view: Now, surface: Surface): readonly Move[] {
  const { screen, document } = view;
  const { parts } = screen;
  // Finds a stream whose text may differ from the recorded text. Appending would keep the difference, so the stream is
  // stopped and its message edited.
  const index = parts.findIndex((part) => part.live && (!part.sure || !stands(part, document)));
  const broken = at(view, index);
  if (broken !== undefined) return [stop(broken, { why: 'repair' }, surface)];
  const last = parts.at(-1);
  if (last?.live) return isLive(last) ? streamMoves(view, last, surface) : NONE;
  return editMoves(view, surface);
}

function streamMoves(view: Now, part: LivePart, surface: Surface): readonly Move[] {
  const { screen, document, now } = view;
  const { stream } = surface;
  const index = screen.parts.length - 1;
  const final = isFinal(document);
  const to = surface.cut(view, part);
  const isOld = !final && (document.postponed === true || now - part.openedAt >= stream.maxMs);
  const why = to !== undefined ? 'rotate' : final ? 'end' : isOld ? stream.afterwards : undefined;
  const appends = why === undefined || stream.appendsMeanwhile;
  const live = { screen, document, index, part, ...(to !== undefined && { to }) };
  const isNews = appends && stream.hasNews(document, part, to);
  const news = isNews ? [move({ kind: 'append', ...live }, final, surface)] : NONE;
  if (why === undefined) return news;
  const before = why === 'end' ? surface.first?.('end', view, index) : undefined;
  return before === undefined ? [stop(live, { why }, surface), ...news] : [...news, before];
}

function editMoves(view: Now, surface: Surface): readonly Move[] {
  const { parts } = view.screen;
  const { text } = view.document;
  const surplus = parts.findLastIndex(({ from }) => from > text.length && from > 0);
  const gone = at(view, surplus);
  if (gone !== undefined) return [removal(gone, surface)];
  const stale = at(
    view,
    parts.findIndex((part, index) => isStale(view, index, part, surface)),
  );
  if (stale) return [update(stale, endOfEdit(stale, surface), surface)];
  const opening = openMoves(view, surface);
  return opening.length > 0 || !surface.deletesHalves ? opening : halfMoves(view, surface);
}

/**
 * Deletes a message that shows only a part of the answer and accepts no more edits, once the whole answer is shown
 * below it. The message would otherwise keep its Stop button. The whole answer of an earlier turn stays.
 */
function halfMoves(view: Now, surface: Surface): readonly Move[] {
  const { parts } = view.screen;
  const isHalf = (part: LadderPart, index: number) => isLeft(part) && !part.ended && index < parts.length - 1;
  const half = isFinal(view.document) ? at(view, parts.findIndex(isHalf)) : undefined;
  return half === undefined ? NONE : [removal(half, surface)];
}

/** Returns the offset at which a message ends at present; undefined if it shows all remaining text. */
function endOf({ screen: { parts }, document }: View, index: number): number | undefined {
  const { to } = parts[index] ?? {};
  if (to === undefined || index < parts.length - 1) return to;
  // The last message needs no end if only blank text follows it, or if a rewrite made the text shorter than `to`.
  const holdsRest = to > document.text.length || (isFinal(document) && isBlank(document.text, to));
  return holdsRest ? undefined : to;
}

function isStale(view: Now, index: number, part: LadderPart, surface: Surface): boolean {
  const { screen, document } = view;
  if (part.left || (surface.editsAtEnd && !isFinal(document))) return false;
  if (!part.sure || !stands(part, document) || surface.editableKey(view, part) !== part.looks) return true;
  if (endOf(view, index) !== undefined) return false;
  if (part.to !== undefined) return true;
  if (part.shown?.version === document.version) return false;
  // While the answer is being written, a reply shown by single posts (rung `once`) is edited only if its text no longer
  // fits.
  return isFinal(document) || screen.rung !== 'once' || surface.cut(view, part) !== undefined;
}

/**
 * Returns where an edited message ends. The last message may end earlier than before, if the channel required a
 * simpler format or a shorter text.
 */
function endOfEdit(stale: At, surface: Surface): number | undefined {
  const { screen, index, part } = stale;
  const end = endOf(stale, index);
  if (end !== undefined && index < screen.parts.length - 1) return end;
  const cut = surface.cut(stale, part);
  // An earlier edit of unknown outcome may have added the remaining text, which must not disappear again.
  if (screen.rung === 'once' && cut === undefined) return undefined;
  return cut !== undefined && end !== undefined ? Math.min(cut, end) : (cut ?? end);
}

/**
 * True if a running answer must not open another message until it ends. Edits of this message were refused, so edits
 * of the next message would probably be refused too. If the message shows the answer of an earlier turn, its age may be
 * the reason, so the next message may accept edits.
 */
const awaitsEnd = ({ left, stuck, stopped, ended }: LadderPart): boolean =>
  left === true && stuck === undefined && stopped === undefined && ended === undefined;

function openMoves(view: Now, surface: Surface): readonly Move[] {
  const { screen, document } = view;
  const final = isFinal(document);
  const last = screen.parts.at(-1);
  const begin = last === undefined ? FIRST : last.onward;
  if (begin === undefined || (last !== undefined && isBlank(document.text, begin.at))) return NONE;
  const before = last && surface.first?.('post', view, screen.parts.length - 1);
  if (before !== undefined) return [before];
  const rest = () => move(post(view, begin, 'edits', surface), true, surface);
  if (final) return [...(grows(view, surface) ?? NONE), rest()];
  if (last !== undefined && awaitsEnd(last)) return NONE;
  // If the reply is shown by single posts (rung `once`), an edit adds the remaining text to the last message while it
  // fits.
  const grown = grows(view, surface);
  if (grown !== undefined) return hasWords(surface.emitter, document.text, begin) ? grown : NONE;
  return surface.ways(view, begin, view.now).map((way) => opening(view, begin, way, surface));
}

/**
 * For a reply shown by single posts (rung `once`), returns the edit that adds the remaining text to the last message,
 * or an empty list if that message is full. Returns undefined for other replies.
 */
function grows(view: View, surface: Surface): readonly Move[] | undefined {
  const last = at(view, view.screen.parts.length - 1);
  if (view.screen.rung !== 'once' || last === undefined || last.part.left) return undefined;
  const isFull = surface.cut(view, last.part) !== undefined;
  return isFull ? NONE : [update(last, undefined, surface)];
}

function opening(view: View, begin: Begin, way: OpeningWay, surface: Surface): Move {
  const { screen, document } = view;
  const needs = surface.needs?.[way.kind];
  // While the platform is down, no call follows the note that the question is kept, so it reserves none.
  if (document.postponed) return move(post(view, begin, 'edits', surface), true, surface);
  if (way.kind === 'edits') return move(post(view, begin, 'edits', surface), false, surface, needs);
  if (way.kind === 'once') {
    return move({ ...post(view, begin, 'once', surface), to: way.to }, false, surface, needs);
  }
  const to = surface.cut(view, { begin, form: screen.form, live: true });
  const call: Call = { kind: 'start', screen, document, begin, ...(to !== undefined && { to }) };
  return move(call, false, surface, needs);
}

function post(view: View, begin: Begin, rung: 'edits' | 'once', surface: Surface): Of<'post'> {
  const { screen, document } = view;
  const { form, parts } = screen;
  const to = surface.cut(view, { begin, form, live: false });
  const index = parts.length;
  return { kind: 'post', screen, document, rung, index, begin, form, ...(to !== undefined && { to }) };
}
