import type { NewChunk } from '../store/passages.ts';
import { sentencesOf } from '../words/terms.ts';

interface Passage {
  /** Headings above the passage, without the title, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** Maximum characters of a passage. A longer section is divided after a block, a line or a sentence. */
const PASSAGE_LENGTH = 1_000;

/** Text between two blocks of a passage. */
const SEPARATOR = '\n\n';

/** A document that is divided into passages, each of which becomes a chunk in the database. */
export interface Divided {
  readonly title: string;
  readonly passages: readonly Passage[];
}

/**
 * Divides a document into passages by its headings. `imageLink` returns an image's numeric file id, or undefined if it
 * has none. A passage has at most `most` characters, unless a single sentence or line is longer.
 */
export function divide(
  blocks: readonly Block[],
  fallbackTitle: string,
  imageLink: (source: string) => string | undefined,
  most: number = PASSAGE_LENGTH,
): Divided {
  const title = titleOf(blocks) ?? fallbackTitle;
  const passages: Passage[] = [];
  let headings: readonly { readonly level: number; readonly text: string }[] = [];
  let parts: string[] = [];
  const flush = () => {
    if (parts.length > 0)
      passages.push({ headings: headings.map((heading) => heading.text), text: parts.join(SEPARATOR) });
    parts = [];
  };
  for (const block of blocks) {
    if (block.kind === 'heading') {
      flush();
      const { level, text } = block;
      if (text !== title)
        headings = [...headings.filter((heading) => heading.level < level), { level, text }];
      continue;
    }
    for (const part of partsOf(block, imageLink, most)) {
      const length = parts.reduce((sum, earlier) => sum + earlier.length + SEPARATOR.length, 0);
      if (length > 0 && length + part.length > most) flush();
      parts.push(part);
    }
  }
  flush();
  return { title, passages };
}

function titleOf(blocks: readonly Block[]): string | undefined {
  for (const block of blocks) if (block.kind === 'heading' && block.level === 1) return block.text;
  return undefined;
}

function partsOf(
  block: Block,
  imageLink: (source: string) => string | undefined,
  most: number,
): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [];
    case 'image': {
      const link = imageLink(block.source);
      const alt = block.alt.replace(/[[\]\n]/g, ' ');
      return link === undefined ? [] : [`![${alt}](${link})`];
    }
    case 'paragraph':
      return block.text.length <= most ? [block.text] : inPieces(sentencesOf(block.text), ' ', most);
    case 'list':
      return block.text.length <= most ? [block.text] : inPieces(block.text.split('\n'), '\n', most);
    case 'table':
      return block.text.length <= most ? [block.text] : tablePieces(block.text.split('\n'), most);
    case 'code':
      return block.text.length <= most ? [block.text] : codePieces(block.text.split('\n'), most);
  }
}

/** Splits a table. Each piece repeats the header, because cells have no meaning without it. */
function tablePieces(lines: readonly string[], most: number): readonly string[] {
  const [head = '', divider = '', ...rows] = lines;
  const top = `${head}\n${divider}\n`;
  const fits = /^[\s|:-]+$/.test(divider) && top.length <= most / 2;
  if (!fits) return inPieces(lines, '\n', most);
  return inPieces(rows, '\n', most - top.length).map((piece) => top + piece);
}

/** Splits a code block. Each piece gets its own fence. */
function codePieces(lines: readonly string[], most: number): readonly string[] {
  const [opening = '', ...rest] = lines;
  const mark = opening.slice(0, 3);
  const inner = rest.at(-1)?.startsWith(mark) ? rest.slice(0, -1) : rest;
  const around = opening.length + mark.length + 2;
  if (around > most / 2) return inPieces(lines, '\n', most);
  return inPieces(inner, '\n', most - around).map((piece) => `${opening}\n${piece}\n${mark}`);
}

function inPieces(units: readonly string[], joiner: string, most: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const unit of units) {
    if (piece !== '' && piece.length + joiner.length + unit.length > most) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? unit : piece + joiner + unit;
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

/** A part of a document, the same for all file formats. Its text is Markdown. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph' | 'list' | 'table' | 'code'; readonly text: string }
  | { readonly kind: 'image'; readonly alt: string; readonly source: string };

/** How a file is cut into chunks (platform contract WSP-7: `maxLength`, `overlap`). */
interface Cutting {
  /** Maximum characters of a chunk. */
  readonly maxLength: number;
  /** Characters that a chunk repeats from the end of the previous one. */
  readonly overlap: number;
}

/** How the documents of a workspace are prepared for search, as its settings say (platform contract WSP-7 to WSP-9). */
export interface Preparation {
  readonly cutting: Cutting;
  /** If false, documents are stored but cannot be searched. */
  readonly enabled: boolean;
}

/** Default of `maxLength`, in characters (platform contract LIM-8). */
export const MAX_LENGTH = 1024;

/** How documents are prepared if the settings say nothing. */
export const plainPreparation: Preparation = {
  cutting: { maxLength: MAX_LENGTH, overlap: 0 },
  enabled: true,
};

/** Maximum chunks of a document, because other requests wait while its chunks are written. */
const MAX_CHUNKS = 20_000;

/** Returns passages as the database stores them. */
export const chunksOf = (passages: Divided['passages']): readonly NewChunk[] =>
  passages.map(({ headings, text }) => ({ heading: headings.join(' › '), text }));

/**
 * Divides a document into passages and cuts them to size. Throws if there would be more than `MAX_CHUNKS` passages.
 * @param fallback title if the document has no heading of level 1
 * @param pictures file ids of the document's pictures, by their addresses in the document
 */
export function prepare(
  blocks: readonly Block[],
  fallback: string,
  pictures: ReadonlyMap<string, string>,
  { cutting, enabled }: Preparation,
): Divided {
  const { title, passages } = divide(blocks, fallback, (source) => pictures.get(source), mostOf(cutting));
  if (!enabled) return { title, passages: [] };
  const cut = cutPassages(passages, cutting);
  if (cut.length > MAX_CHUNKS) throw new Error(`The file has more than ${MAX_CHUNKS} chunks.`);
  return { title, passages: cut };
}

/**
 * Returns the maximum characters of a passage before it is cut. With an overlap, there is no maximum: the section stays
 * whole until it is cut, so that each piece can repeat the end of the piece before it.
 */
function mostOf({ maxLength, overlap }: Cutting): number {
  if (overlap > 0) return Number.POSITIVE_INFINITY;
  return maxLength === MAX_LENGTH ? PASSAGE_LENGTH : maxLength;
}

/**
 * A cut is made at the end of a paragraph, a sentence or a word, if there is one in the last part of the text before
 * the limit. This is the length of that part, as a share of the maximum length.
 */
const LOOK_BACK = 0.3;

/**
 * Cuts passages to at most `maxLength` characters. With an overlap, each piece repeats the end of the piece before it
 * (platform contract FIL-7: chunks).
 */
function cutPassages(passages: readonly Passage[], cutting: Cutting): readonly Passage[] {
  return passages.flatMap(({ headings, text }) =>
    cutText(text, cutting).map((piece) => ({ headings, text: piece })),
  );
}

/**
 * Cuts a text into pieces. Without an overlap, the joined pieces give the text again, except for white space at the
 * cuts.
 */
export function cutText(text: string, { maxLength, overlap }: Cutting): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > maxLength) {
    const to = cutAt(text, from, from + maxLength);
    pieces.push(text.slice(from, to).trim());
    from = Math.max(whole(text, to - overlap), afterNext(text, from));
  }
  pieces.push(text.slice(from).trim());
  return pieces.filter((piece) => piece !== '');
}

/** Returns the end of a paragraph, a sentence or a word shortly before the limit; the limit itself if there is none. */
function cutAt(text: string, from: number, limit: number): number {
  const least = Math.max(afterNext(text, from), Math.floor(limit - (limit - from) * LOOK_BACK));
  for (const endsAt of [paragraphEndsAt, sentenceEndsAt, wordEndsAt]) {
    for (let at = limit; at > least; at -= 1) if (endsAt(text, at)) return at;
  }
  return Math.max(whole(text, limit), least);
}

const paragraphEndsAt = (text: string, at: number): boolean => text.startsWith('\n\n', at - 2);
const wordEndsAt = (text: string, at: number): boolean => /\s/.test(text.charAt(at - 1));
/** A Western punctuation mark ends a sentence only before white space: 3.14 is one number. */
const sentenceEndsAt = (text: string, at: number): boolean =>
  /[。！？]/.test(text.charAt(at - 1)) || (/[.!?]/.test(text.charAt(at - 2)) && wordEndsAt(text, at));

/** Returns the offset after the character at `from`. A cut is never before that offset, so each cut makes progress. */
const afterNext = (text: string, from: number): number =>
  from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);

/** Returns the offset. If it lies inside a surrogate pair, returns the offset before the pair. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
