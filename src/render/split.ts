import { BridgeError } from '../errors.ts';
import type { PlacedBlock } from './blocks.ts';
import { type Fence, fenceAfter } from './fences.ts';
import { parse } from './parse.ts';

/** The smallest limit that leaves room for a fence's or a table's own lines, in UTF-16 units. */
export const MIN_SPLIT_LIMIT = 64;

const lines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The end of a piece of at most `limit` units that parts no character. */
function hardEnd(text: string, limit: number): number {
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff && limit > 1 ? limit - 1 : limit;
}

/** The last good place to part prose before `limit`: after a sentence, after a word, else anywhere. */
function proseEnd(text: string, limit: number): number {
  const head = text.slice(0, limit);
  const sentence = Math.max(
    ...[...head.matchAll(/[.!?。！？](?:\s|(?<=[。！？]))/g)].map((found) => found.index + 1),
    0,
  );
  if (sentence > limit / 2) return sentence;
  const space = head.search(/\s\S*$/);
  return space > 0 ? space + 1 : hardEnd(text, limit);
}

function prosePieces(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const end = proseEnd(rest, limit);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

/** Parts lines into pieces, each with the same head and foot around it; a line too long is parted itself. */
function framed(body: readonly string[], frame: { head: string; foot: string }, limit: number): string[] {
  const room = limit - frame.head.length - frame.foot.length;
  const pieces: string[] = [];
  let piece = '';
  const flush = (): void => {
    if (piece !== '') pieces.push(`${frame.head}${piece.replace(/\n$/, '')}${frame.foot}`);
    piece = '';
  };
  for (const line of body.flatMap((whole) => hardPieces(whole, room))) {
    if (piece.length + line.length > room) flush();
    piece += line;
  }
  flush();
  return pieces;
}

function hardPieces(text: string, limit: number): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.length <= limit ? rest.length : hardEnd(rest, limit);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return pieces;
}

function codePieces(source: string, limit: number): string[] | undefined {
  const [first = '', ...body] = lines(source);
  const fence = fenceAfter(first, undefined);
  if (fence === undefined) return undefined;
  const last = body.at(-1) ?? '';
  const closed = fenceAfter(last, fence) === undefined;
  const foot = `\n${closed ? last.trimEnd() : fence.marks}`;
  if (first.length + foot.length > limit / 2) return undefined;
  return framed(closed ? body.slice(0, -1) : body, { head: first, foot }, limit);
}

function tablePieces(source: string, limit: number): string[] | undefined {
  const [head = '', marks = '', ...rows] = lines(source);
  const top = head + marks;
  const longest = Math.max(0, ...rows.map((row) => row.length));
  return top.length + longest > limit ? undefined : framed(rows, { head: top, foot: '' }, limit);
}

/** Where a list or quote may be parted: its lines outside fences, those of the outermost items first. */
function linePieces(source: string, limit: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let outer = 0;
  let inner = 0;
  let fence: Fence | undefined;
  for (const line of lines(source).flatMap((whole) =>
    whole.length > limit ? prosePieces(whole, limit) : [whole],
  )) {
    if (piece.length + line.length > limit) {
      const end = outer > 0 ? outer : inner > 0 ? inner : piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      outer = 0;
      inner = 0;
    }
    if (piece.length + line.length > limit) {
      pieces.push(piece);
      piece = '';
    }
    if (fence === undefined && piece !== '') {
      inner = piece.length;
      if (/^\S/.test(line)) outer = piece.length;
    }
    fence = fenceAfter(line, fence);
    piece += line;
  }
  return [...pieces, piece];
}

function blockPieces(source: string, block: PlacedBlock, limit: number): string[] {
  if (source.length <= limit) return [source];
  const special =
    block.kind === 'code'
      ? codePieces(source, limit)
      : block.kind === 'table'
        ? tablePieces(source, limit)
        : undefined;
  return special ?? (block.kind === 'paragraph' ? prosePieces(source, limit) : linePieces(source, limit));
}

/**
 * Parts a Markdown text at the edges of its blocks into pieces of at most `limit` UTF-16 units, in order, nothing
 * lost. A block longer than that is parted at its lines, sentences or words; fences and tables are closed and
 * opened again, their heads repeated.
 */
export function split(text: string, limit: number): string[] {
  if (limit < MIN_SPLIT_LIMIT)
    throw new BridgeError('internal', `split needs a limit of ${MIN_SPLIT_LIMIT} or more`);
  const blocks = parse(text);
  const pieces: string[] = [];
  let piece = '';
  for (const [at, block] of blocks.entries()) {
    const gapFrom = blocks[at - 1]?.to ?? 0;
    const gap = text.slice(gapFrom, block.from);
    const parts = blockPieces(text.slice(block.from, block.to), block, limit);
    for (const [index, part] of parts.entries()) {
      const joined = index === 0 ? piece + gap + part : part;
      if (index > 0 || joined.length > limit) {
        pieces.push(piece, ...hardPieces(index === 0 ? gap : '', limit));
        piece = part;
      } else piece = joined;
    }
  }
  const rest = text.slice(blocks.at(-1)?.to ?? 0);
  pieces.push(...((piece + rest).length > limit ? [piece, ...hardPieces(rest, limit)] : [piece + rest]));
  return pieces.map((whole) => whole.replace(/^\s*\n|\s+$/g, '')).filter((whole) => whole.trim() !== '');
}
