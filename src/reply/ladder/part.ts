/** The messages of a reply, and how calls change their recorded state. Pure. */

import { isFinal, type ReplyDocument } from '../../core/reply.ts';
import type { Part, ShownText } from '../../core/screen.ts';
import type { Begin } from '../markdown/emission/emitter.ts';
import type { Emitted, LadderPart, LadderScreen, LivePart, Surface, View } from './surface.ts';

export const RICHEST = 'rich';
export const FIRST: Begin = { at: 0, fresh: true };

/** Returns the FNV-1a hash of the text, computed over its UTF-16 units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * True if the document's text still contains the message's text at the same offsets. Compares hashes, because screens
 * store no text.
 */
export function stands(part: LadderPart, { rewrites, text }: ReplyDocument): boolean {
  if (part.shown?.rewrites === rewrites) return true;
  const end = part.emitted?.state.at ?? part.shown?.length ?? part.from;
  return end <= text.length && hashOf(text.slice(part.from, end)) === part.hash;
}

/** True if the message is an open stream whose shown text is known. */
export const isLive = (part: LadderPart): part is LivePart => part.live && part.emitted !== undefined;

/** True if the message accepts no more edits, and its text is posted again below it. */
export const isLeft = ({ left, to, from, stuck, stopped }: LadderPart): boolean =>
  left === true && to === from && stuck === undefined && stopped === undefined;

/** True if the stream shows steps but no text of the answer yet. */
export const isUnsaid = ({ begin, emitted }: LadderPart): boolean =>
  emitted?.line !== undefined && emitted.state.at === begin.at;

/**
 * In place of the number of rewrites of a stored message's document. The screen may belong to another turn of the reply,
 * whose document counts its own rewrites, so only the text itself tells whether the message shows it.
 */
const OTHERS = -1;

/** Returns the message of a stored screen, with defaults for properties that earlier versions did not store. */
export function stored(part: Part & Partial<LadderPart>, index: number): LadderPart {
  const begin = { at: part.from, fresh: true };
  // An earlier process may have changed the message after the screen was stored. This is impossible if a person had
  // stopped its stream.
  const sure = part.sure && part.stopped !== undefined;
  const extent = part.shown && { shown: { ...part.shown, rewrites: OTHERS } };
  const known = { begin, form: RICHEST, hash: hashOf(''), looks: '', failures: 0, ...part, ...extent, sure };
  // The first message is deleted only together with the question.
  return index === 0 ? known : { ...known, maybeDeleted: true };
}

/** Creates a message that shows no text yet. */
export function blankPart(id: string, begin: Begin, form: string, now: number): LadderPart {
  const shape = { from: begin.at, begin, live: false, openedAt: now, sure: true, form };
  return { id, ...shape, hash: hashOf(''), looks: '', failures: 0 };
}

export function withPart(screen: LadderScreen, index: number, part: LadderPart): LadderScreen {
  return { ...screen, parts: screen.parts.with(index, part) };
}

/** Returns the message after the channel accepted the document's text up to `at`. */
function showingTo(
  part: LadderPart,
  { version, rewrites, text }: ReplyDocument,
  at: number,
): LadderPart & { readonly shown: ShownText } {
  return { ...part, shown: { version, rewrites, length: at }, hash: hashOf(text.slice(part.from, at)) };
}

/** Returns the message after its stream has shown `emitted`. */
export const streaming = (part: LadderPart, document: ReplyDocument, emitted: Emitted): LadderPart =>
  showingTo({ ...part, emitted }, document, emitted.state.at);

/**
 * Returns the message's new state: the channel has accepted the document's text up to `to`, or all of it if `to` is
 * undefined.
 */
export function written(
  { to: _to, onward: _onward, ended: _ended, maybeDeleted: _maybeDeleted, ...open }: LadderPart,
  view: View,
  to: number | undefined,
  surface: Surface,
): LadderPart {
  const { document } = view;
  const edges =
    to === undefined ? open : { ...open, to, onward: onwardAt(open.begin, document, to, surface) };
  const now = { ...edges, sure: true, failures: 0, ...(isFinal(document) && { ended: true as const }) };
  const looks = surface.editableKey(view, edges);
  return showingTo({ ...now, looks }, document, to ?? document.text.length);
}

/** Returns how the next message begins, after a message that shows the text from `from` to `to`. */
export function onwardAt(
  from: Begin,
  { text }: ReplyDocument,
  to: number,
  { emitter }: Pick<Surface, 'emitter'>,
): Begin {
  const { state } = emitter.emit(text.slice(0, to), from, { ended: true });
  return emitter.beginAt(text, { ...state, at: to });
}

/** Returns the message with its stream closed. */
export function closed({ emitted: _, ...part }: LadderPart): LadderPart {
  return { ...part, live: false };
}

export const unsure = (part: LadderPart): LadderPart => ({ ...part, sure: false });

/**
 * Returns the message after a person stopped its stream. The message must not change any more, so further text goes
 * into another message.
 */
export function stoppedPart(part: LadderPart, { turn }: ReplyDocument): LadderPart {
  return { ...closed(part), sure: true, left: true, ended: true, stopped: turn };
}

/** Returns the message after the end of its stream, which shows the text up to `to`. */
export function endedStream(
  part: LadderPart,
  emitted: Emitted,
  { document, to }: { readonly document: ReplyDocument; readonly to?: number },
  { emitter }: Surface,
): { readonly part: LadderPart; readonly onward: Begin } {
  const { text } = document;
  const ended = to !== undefined || isFinal(document);
  const { state } = emitter.emit(text.slice(0, to), emitted.state, { ended });
  return { part: showingTo(closed(part), document, state.at), onward: emitter.beginAt(text, state) };
}
