/** Which calls would bring a reply in Teams nearer to its document. Pure. */

import type { Begin } from '../../../src/kit/emission.ts';
import { isBlank } from '../../../src/kit/extent.ts';
import { stands } from '../../../src/kit/shown.ts';
import { isFinal, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { move } from './calls.ts';
import { looksOf } from './looks.ts';
import type { TeamsPart, TeamsScreen } from './screen.ts';
import type { Setting } from './setting.ts';
import { isSought } from './settled.ts';
import { streamMoves } from './stream-moves.ts';

/** @param screen as `settled` gives it */
export function nextMoves(
  screen: TeamsScreen,
  document: ReplyDocument,
  now: number,
  setting: Setting,
): readonly Move[] {
  if (screen.gone) return [];
  if (screen.lost !== undefined) return whileLost(screen, document, now, setting);
  if (document.state === 'withdrawn') return withdraw(screen, document);
  const repair = repairMoves(screen, document);
  if (repair.length > 0) return repair;
  const last = screen.parts.at(-1);
  if (last?.live) return streamMoves({ screen, document, now, extent: setting.extent });
  const text = editMoves(screen, document, setting);
  return text.length > 0 ? text : typing(screen, document, now);
}

/** It is looked up, or it is waited for the reply's end: nothing that may stand there already is sent again before. */
function whileLost(screen: TeamsScreen, document: ReplyDocument, now: number, setting: Setting) {
  const { lost, parts } = screen;
  if (lost === undefined || !isSought(screen, setting)) return typing(screen, document, now);
  return [move({ kind: 'find', document, lost, known: parts.map(({ id }) => id) }, true)];
}

/** A stream that may show something else than we think takes no further text: it is ended, then edited. */
function repairMoves({ parts }: TeamsScreen, document: ReplyDocument): readonly Move[] {
  const index = parts.findIndex((part) => part.live && (!part.sure || !stands(part, document)));
  const part = parts[index];
  return part === undefined ? [] : [move({ kind: 'final', document, index, part, why: 'repair' }, true)];
}

function editMoves(screen: TeamsScreen, document: ReplyDocument, setting: Setting): readonly Move[] {
  const { parts } = screen;
  const surplus = parts.findLastIndex((part) => part.from > document.text.length && part.from > 0);
  const gone = parts[surplus];
  if (gone !== undefined) return [move({ kind: 'delete', document, index: surplus, part: gone }, true)];
  const index = parts.findIndex((part, at) => isStale(screen, document, { index: at, part }));
  const part = parts[index];
  if (part === undefined) return openMoves(screen, document, setting);
  const to = endOfEdit(screen, document, { index, part }, setting);
  const call = { kind: 'update', document, index, part, ...ending(to), ...unconfirmed(screen) } as const;
  return [move(call, isFinal(document))];
}

interface At {
  readonly index: number;
  readonly part: TeamsPart;
}

const ending = (to: number | undefined) => (to === undefined ? {} : { to });
const unconfirmed = (screen: TeamsScreen) => (screen.unconfirmed ? { unconfirmed: true as const } : {});

/** Where a message ends as things are; absent: it holds the rest. */
function endOf({ parts }: TeamsScreen, index: number, document: ReplyDocument): number | undefined {
  const { to } = parts[index] ?? {};
  if (to === undefined || index < parts.length - 1) return to;
  // Nothing follows it, so it shows what stands under the answer; or the text became shorter, and grows again in it.
  const holdsRest = to > document.text.length || (isFinal(document) && isBlank(document.text, to));
  return holdsRest ? undefined : to;
}

function isStale(screen: TeamsScreen, document: ReplyDocument, { index, part }: At): boolean {
  if (part.left) return false;
  if (!part.sure || !stands(part, document) || looksOf(document, part) !== part.looks) return true;
  if (endOf(screen, index, document) !== undefined) return false;
  return part.to !== undefined || part.shown?.version !== document.version;
}

/** The last message may hold less than it did, where Teams found it too large. */
function endOfEdit(
  screen: TeamsScreen,
  document: ReplyDocument,
  { index, part }: At,
  { extent }: Setting,
): number | undefined {
  const end = endOf(screen, index, document);
  if (index < screen.parts.length - 1) return end;
  const cut = extent.cut(document, part.begin, { limit: screen.chars })?.to;
  return cut !== undefined && end !== undefined ? Math.min(cut, end) : (cut ?? end);
}

const FIRST: Begin = { at: 0, fresh: true };

/** A further message: as a stream where there are any, else as a post that is edited. */
function openMoves(screen: TeamsScreen, document: ReplyDocument, setting: Setting): readonly Move[] {
  const last = screen.parts.at(-1);
  const begin = last === undefined ? FIRST : last.onward;
  if (begin === undefined) return [];
  const { text } = document;
  if (isFinal(document)) {
    const isWhole = last !== undefined && isBlank(text, begin.at);
    return isWhole ? [] : [move(post(screen, document, begin, setting), true)];
  }
  const more = setting.extent.hasMore(text, begin, false) && !isBlank(text, begin.at);
  const isFirst = last === undefined;
  if (setting.streams && !screen.streamless && (more || isFirst))
    return [move(start(screen, document, begin, { setting, says: more ? 'text' : 'steps' }), false)];
  const thinks = isFirst && document.steps.length > 0;
  return more || thinks ? [move(post(screen, document, begin, setting), false)] : [];
}

function start(
  { chars }: TeamsScreen,
  document: ReplyDocument,
  begin: Begin,
  { setting: { extent }, says }: { readonly setting: Setting; readonly says: 'steps' | 'text' },
) {
  const to = extent.cut(document, begin, { limit: chars })?.to;
  return { kind: 'start', document, begin, says, ...ending(to) } as const;
}

function post(screen: TeamsScreen, document: ReplyDocument, begin: Begin, { extent }: Setting) {
  const { form, parts, chars } = screen;
  const to = extent.cut(document, begin, { limit: chars })?.to;
  const call = { kind: 'post', document, index: parts.length, begin, form } as const;
  return { ...call, ...ending(to), ...unconfirmed(screen) };
}

/** Messages are taken away one by one; a stream is ended first, as Teams deletes none that is live. */
function withdraw({ parts }: TeamsScreen, document: ReplyDocument): readonly Move[] {
  const index = parts.length - 1;
  const part = parts[index];
  if (part === undefined) return [];
  if (part.live) return [move({ kind: 'final', document, index, part, why: 'repair' }, true)];
  return [move({ kind: 'delete', document, index, part }, true)];
}

/** The dots that say that somebody writes; they fade by themselves. */
function typing({ parts, reviewAt = 0 }: TeamsScreen, document: ReplyDocument, now: number): readonly Move[] {
  const thinks = !isFinal(document) && parts.length === 0 && now >= reviewAt;
  return thinks ? [move({ kind: 'typing', document }, false)] : [];
}
