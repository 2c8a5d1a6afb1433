import type { NewChunk } from '../store/passages.ts';
import type { Block } from './blocks.ts';
import { sentencesOf, termsOf } from './terms.ts';

export interface Passage {
  /** Headings below the title, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** Characters of one passage; a section that is longer is divided at block or sentence ends. */
const PASSAGE_LENGTH = 1_000;

export interface Divided {
  readonly title: string;
  readonly passages: readonly Passage[];
}

/** A passage as the tables keep and find it. */
export function chunkOf(title: string, { headings, text }: Passage): NewChunk {
  const heading = headings.join(' › ');
  const body = `${title}\n${heading}\n${text}`;
  return { heading, text, terms: termsOf(body), body };
}

/**
 * Divides a document into passages by its headings. `imageLink` gives the numeric file id of an image, if it has one;
 * `most` is the number of characters that a passage should not exceed.
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
      passages.push({ headings: headings.map((heading) => heading.text), text: parts.join('\n\n') });
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
      const length = parts.reduce((sum, earlier) => sum + earlier.length, 0);
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
    case 'table':
      return block.text.length <= 2 * most ? [block.text] : inPieces(block.text.split('\n'), '\n', most);
    case 'code':
      return [block.text.slice(0, 2 * most)];
  }
}

function inPieces(units: readonly string[], joiner: string, most: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const unit of units) {
    if (piece !== '' && piece.length + unit.length > most) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? unit : piece + joiner + unit;
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}
