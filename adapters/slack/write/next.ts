/** Which calls would bring a reply in Slack nearer to its document. Pure. */

import { stands } from '../../../src/kit/shown.ts';
import { isFinal, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { adornments } from './adornments.ts';
import { move, NEEDS } from './calls.ts';
import { type Extent, isBlank } from './extent.ts';
import { openMoves } from './open-moves.ts';
import type { SlackPart, SlackScreen } from './screen.ts';
import { nextUpload, streamMoves } from './stream-moves.ts';

/** What the writer is told of the place, and remembers to be quick. */
export interface Setting {
  /** Streams need the asker's ids; without them there are none. */
  readonly streams: boolean;
  readonly extent: Extent;
}

export function nextMoves(
  screen: SlackScreen,
  document: ReplyDocument,
  now: number,
  setting: Setting,
): readonly Move[] {
  if (screen.gone) return isFinal(document) ? statusOff(screen, document) : [];
  if (screen.lost !== undefined) return find(screen, document);
  if (document.state === 'withdrawn') return withdraw(screen, document);
  const repair = repairMoves(screen, document);
  if (repair.length > 0) return repair;
  const last = screen.parts.at(-1);
  const text =
    last?.live === true
      ? streamMoves({ screen, document, now, extent: setting.extent })
      : [...editMoves(screen, document, setting)];
  return text.length > 0 ? text : besides(screen, document);
}

function find(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  if (screen.lost === undefined) return [];
  const known = screen.parts.map(({ id }) => id);
  return [move({ kind: 'find', document, index: screen.parts.length, lost: screen.lost, known }, true)];
}

/** A stream that may show something else than we think takes no further text: it is stopped, then edited. */
function repairMoves(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  const index = screen.parts.findIndex((part) => part.live && (!part.sure || !stands(part, document)));
  const part = screen.parts[index];
  if (part === undefined) return [];
  const { images } = screen;
  return [move({ kind: 'stop', document, index, part, why: 'repair', images, activates: false }, true)];
}

function* editMoves(screen: SlackScreen, document: ReplyDocument, setting: Setting): Iterable<Move> {
  const { parts } = screen;
  const surplus = parts.findLastIndex((part) => part.from > document.text.length && part.from > 0);
  const gone = parts[surplus];
  if (gone !== undefined) {
    yield move({ kind: 'delete', document, index: surplus, part: gone }, true);
    return;
  }
  const index = parts.findIndex((part, at) => isStale(screen, document, { index: at, part, setting }));
  const part = parts[index];
  if (part !== undefined) yield* updateMoves(screen, document, { index, part, setting });
  else yield* openMoves({ screen, document, setting });
}

/** Where a message ends as things are; absent: it holds the rest. */
function endOf(screen: SlackScreen, index: number, document: ReplyDocument): number | undefined {
  const { to } = screen.parts[index] ?? {};
  if (to === undefined || index < screen.parts.length - 1) return to;
  // Nothing follows it, so it shows what stands under the answer; or the text became shorter, and grows again in it.
  const holdsRest = to > document.text.length || (isFinal(document) && isBlank(document.text, to));
  return holdsRest ? undefined : to;
}

function isStale(
  screen: SlackScreen,
  document: ReplyDocument,
  { index, part, setting: { extent } }: Stale,
): boolean {
  if (part.left) return false;
  if (!part.sure || !stands(part, document)) return true;
  if (adornments(document, part, screen.images) !== part.looks) return true;
  const end = endOf(screen, index, document);
  if (end !== undefined) return false;
  if (part.to !== undefined) return true;
  if (part.shown?.version === document.version) return false;
  // A running reply that cannot show more than it does is ended where it is full.
  return (
    isFinal(document) ||
    screen.rung !== 'once' ||
    extent.cutFor(part.form, document, part.begin) !== undefined
  );
}

interface Stale {
  readonly index: number;
  readonly part: SlackPart;
  readonly setting: Setting;
}

/** In its plainest form the last message may hold less than it did. */
function endOfEdit(
  screen: SlackScreen,
  document: ReplyDocument,
  { index, part, setting }: Stale,
): number | undefined {
  const end = endOf(screen, index, document);
  const isLast = index === screen.parts.length - 1;
  if (end !== undefined && !(isLast && part.form === 'plain')) return end;
  const cut = setting.extent.cutFor(part.form, document, part.begin)?.to;
  return cut !== undefined && end !== undefined ? Math.min(cut, end) : (cut ?? end);
}

function* updateMoves(
  screen: SlackScreen,
  document: ReplyDocument,
  { index, part, setting }: Stale,
): Iterable<Move> {
  const end = endOfEdit(screen, document, { index, part, setting });
  const call = { kind: 'update', document, index, part, images: screen.images } as const;
  const ending = end === undefined ? call : { ...call, to: end };
  yield isFinal(document) ? move(ending, true) : move(ending, false, NEEDS.edits);
}

/** Messages are taken away one by one; a stream is stopped first, as Slack deletes none that is live. */
function withdraw(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  const index = screen.parts.length - 1;
  const part = screen.parts[index];
  const { images } = screen;
  if (part?.live)
    return [move({ kind: 'stop', document, index, part, why: 'repair', images, activates: true }, true)];
  if (part !== undefined) return [move({ kind: 'delete', document, index, part }, true)];
  return statusOff(screen, document);
}

/** What goes on beside the text: the status, and images on their way. */
function besides(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  const upload = nextUpload(screen, document);
  if (upload !== undefined) return [upload];
  return isFinal(document) ? statusOff(screen, document) : statusOn(screen, document);
}

function statusOn(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  if (document.state !== 'thinking' || screen.parts.length > 0) return [];
  const line = move({ kind: 'status', document, way: 'line', on: true }, false);
  if (screen.status === undefined) {
    return [move({ kind: 'status', document, way: 'session', on: true }, false, NEEDS.status), line];
  }
  return screen.status === 'sessionless' ? [line] : [];
}

function statusOff(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  if (screen.status === 'session') {
    return [move({ kind: 'status', document, way: 'session', on: false }, true)];
  }
  // A message of ours clears the line by itself.
  const isLeft = screen.status === 'line' && screen.parts.length === 0;
  return isLeft ? [move({ kind: 'status', document, way: 'line', on: false }, true)] : [];
}
