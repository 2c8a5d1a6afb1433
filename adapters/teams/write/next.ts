/** Which calls would bring a reply in Teams nearer to its document. Pure. */

import type { Begin } from '../../../src/kit/emission.ts';
import { isBlank } from '../../../src/kit/extent.ts';
import { stands } from '../../../src/kit/shown.ts';
import { isFinal, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { move } from './calls.ts';
import { cardMark, cardMove, cardMoves } from './cards.ts';
import { cardsOf, isDoubtful, isInside, type TeamsPart, type TeamsScreen } from './screen.ts';
import type { Setting } from './setting.ts';
import { isSought } from './settled.ts';
import { adornments } from './shapes.ts';
import { streamMoves } from './stream-moves.ts';

/** @param screen as `settled` gives it */
export function nextMoves(
  screen: TeamsScreen,
  document: ReplyDocument,
  now: number,
  setting: Setting,
): readonly Move[] {
  if (screen.gone) return orphanMoves(screen, document);
  if (screen.lost !== undefined) return whileLost(screen, document, now, setting);
  if (document.state === 'withdrawn') return withdraw(screen, document);
  const repair = repairMoves(screen, document);
  if (repair.length > 0) return repair;
  const last = screen.parts.at(-1);
  if (last?.live) return streamMoves({ screen, document, now, extent: setting.extent });
  const text = editMoves(screen, document, now, setting);
  if (text.length > 0 && isFinal(document)) return text;
  // While a text waits for its turn, what stands under it may have one.
  const all = [...text, ...cardMoves({ screen, document, setting })];
  return all.length > 0 ? all : typing(screen, document, now, setting);
}

/** The text was taken away: nothing of ours is left standing under it. */
function orphanMoves({ orphans = [] }: TeamsScreen, document: ReplyDocument): readonly Move[] {
  const [id] = orphans;
  return id === undefined ? [] : [move({ kind: 'uncard', document, id }, true)];
}

/** It is looked up, or it is waited for the reply's end: nothing that may stand there already is sent again before. */
function whileLost(screen: TeamsScreen, document: ReplyDocument, now: number, setting: Setting) {
  const { lost, parts } = screen;
  if (lost === undefined || !isSought(screen, setting)) return typing(screen, document, now, setting);
  return [
    move({ kind: 'find', document, lost, known: [...parts.map(({ id }) => id), ...cardsOf(screen)] }, true),
  ];
}

/** A stream that may show something else than we think takes no further text: it is ended, then edited. */
function repairMoves({ parts }: TeamsScreen, document: ReplyDocument): readonly Move[] {
  const index = parts.findIndex((part) => part.live && (!part.sure || !stands(part, document)));
  const part = parts[index];
  return part === undefined ? [] : [move({ kind: 'final', document, index, part, why: 'repair' }, true)];
}

function editMoves(
  screen: TeamsScreen,
  document: ReplyDocument,
  now: number,
  setting: Setting,
): readonly Move[] {
  const { parts } = screen;
  const surplus = parts.findLastIndex((part) => part.from > document.text.length && part.from > 0);
  const gone = parts[surplus];
  if (gone !== undefined) return [takeAway(document, surplus, gone)];
  const index = parts.findIndex((part, at) => isStale(screen, document, { index: at, part, setting }));
  const part = parts[index];
  if (part === undefined)
    return withTables(screen, document, setting) ?? openMoves(screen, document, now, setting);
  const to = endOfEdit(screen, document, { index, part }, setting);
  const call = { kind: 'update', document, index, part, ...ending(to), ...unconfirmed(screen) } as const;
  return [move(call, isFinal(document))];
}

/** What stands under a text goes before it. */
function takeAway(document: ReplyDocument, index: number, part: TeamsPart): Move {
  const id = part.card?.id;
  if (id !== undefined) return move({ kind: 'uncard', document, id }, true);
  return move({ kind: 'delete', document, index, part }, true);
}

/** The tables of a text that is closed stand under it before the next one is opened. */
function withTables(
  screen: TeamsScreen,
  document: ReplyDocument,
  setting: Setting,
): readonly Move[] | undefined {
  const index = screen.parts.length - 1;
  const last = screen.parts[index];
  if (last?.onward === undefined || isBlank(document.text, last.onward.at)) return undefined;
  const found = cardMove({ screen, document, setting }, index);
  return found === undefined ? undefined : [found];
}

interface At {
  readonly index: number;
  readonly part: TeamsPart;
}

const ending = (to: number | undefined) => (to === undefined ? {} : { to });
const unconfirmed = (screen: TeamsScreen) => (isDoubtful(screen) ? { unconfirmed: true as const } : {});

/** Where a message ends as things are; absent: it holds the rest. */
function endOf({ parts }: TeamsScreen, index: number, document: ReplyDocument): number | undefined {
  const { to } = parts[index] ?? {};
  if (to === undefined || index < parts.length - 1) return to;
  // Nothing follows it, so it shows what stands under the answer; or the text became shorter, and grows again in it.
  const holdsRest = to > document.text.length || (isFinal(document) && isBlank(document.text, to));
  return holdsRest ? undefined : to;
}

function isStale(
  screen: TeamsScreen,
  document: ReplyDocument,
  { index, part, setting }: At & { readonly setting: Setting },
): boolean {
  if (part.left) return false;
  if (!part.sure || !stands(part, document) || adornments(document, part) !== part.looks) return true;
  const end = endOf(screen, index, document);
  const { card } = part;
  if (card !== undefined && isInside(card) && cardMark(document, part, end, setting) !== card.mark)
    return true;
  return end === undefined && (part.to !== undefined || part.shown?.version !== document.version);
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
function openMoves(
  screen: TeamsScreen,
  document: ReplyDocument,
  now: number,
  setting: Setting,
): readonly Move[] {
  const last = screen.parts.at(-1);
  const begin = last === undefined ? FIRST : last.onward;
  if (begin === undefined) return [];
  const { text } = document;
  // The next message may take no edits either: the text is posted anew once the answer is whole.
  if (last?.left === true && last.stopped === undefined && !isFinal(document)) return [];
  if (isFinal(document)) {
    const isWhole = last !== undefined && isBlank(text, begin.at);
    return isWhole ? [] : [move(post(screen, document, begin, setting), true)];
  }
  const more = setting.extent.hasWords(text, begin);
  const isFirst = last === undefined;
  if (setting.streams && !screen.streamless && (more || isFirst))
    return [move(start(screen, document, begin, { setting, says: more ? 'text' : 'steps' }), false)];
  const { thinksAloudAt = Number.POSITIVE_INFINITY } = setting;
  const thinks = isFirst && !screen.hushed && (document.steps.length > 0 || now >= thinksAloudAt);
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
  return [takeAway(document, index, part)];
}

/** The dots that say that somebody writes; they fade by themselves. Channels show none. */
function typing(
  { parts, reviewAt = 0 }: TeamsScreen,
  document: ReplyDocument,
  now: number,
  { thinksAloudAt }: Setting,
): readonly Move[] {
  if (thinksAloudAt !== undefined) return [];
  const thinks = !isFinal(document) && parts.length === 0 && now >= reviewAt;
  return thinks ? [move({ kind: 'typing', document }, false)] : [];
}
