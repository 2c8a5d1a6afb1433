import type { Passage } from '../knowledge/chunk.ts';
import type { Cutting } from './settings.ts';

/** How far back from the limit a better place to cut is looked for, as a share of the length. */
const LOOK_BACK = 0.3;

/** Passages of at most `maxLength` characters, each of which repeats the end of the one before it (platform contract FIL-7). */
export function cutPassages(passages: readonly Passage[], cutting: Cutting): readonly Passage[] {
  return passages.flatMap(({ headings, text }) =>
    cutText(text, cutting).map((piece) => ({ headings, text: piece })),
  );
}

/** Pieces of a text; without overlap they join to the text again, but for the space where it was cut. */
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

/** The end of a paragraph, a sentence or a word shortly before the limit; else the limit. */
function cutAt(text: string, from: number, limit: number): number {
  const least = Math.max(afterNext(text, from), Math.floor(limit - (limit - from) * LOOK_BACK));
  const window = text.slice(least, limit);
  const ends = [/\n\n(?!.*\n\n)/s, /[.!?。！？]\s?(?!.*[.!?。！？])/s, /\s(?!.*\s)/s].map((pattern) =>
    pattern.exec(window),
  );
  const end = ends.find((found) => found !== null);
  return end === undefined || end === null
    ? Math.max(whole(text, limit), least)
    : least + end.index + end[0].length;
}

/** Past the character at `from`, so that cutting always goes on. */
const afterNext = (text: string, from: number): number =>
  from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);

/** Not inside a character that takes two units. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
