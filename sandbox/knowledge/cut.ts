import type { Passage } from './chunk.ts';

/** How files are cut (platform contract WSP-7). */
export interface Cutting {
  /** Characters of a chunk, at most. */
  readonly maxLength: number;
  /** Characters that a chunk repeats of the one before it. */
  readonly overlap: number;
}

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
  for (const endsAt of [paragraphEndsAt, sentenceEndsAt, wordEndsAt]) {
    for (let at = limit; at > least; at -= 1) if (endsAt(text, at)) return at;
  }
  return Math.max(whole(text, limit), least);
}

const paragraphEndsAt = (text: string, at: number): boolean => text.startsWith('\n\n', at - 2);
const wordEndsAt = (text: string, at: number): boolean => /\s/.test(text.charAt(at - 1));
/** Western marks end a sentence before white space only: 3.14 is one number. */
const sentenceEndsAt = (text: string, at: number): boolean =>
  /[。！？]/.test(text.charAt(at - 1)) || (/[.!?]/.test(text.charAt(at - 2)) && wordEndsAt(text, at));

/** Past the character at `from`, so that cutting always goes on. */
const afterNext = (text: string, from: number): number =>
  from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);

/** Not inside a character that takes two units. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
