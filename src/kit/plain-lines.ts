/** Writes Markdown as plain text, for chats without markup. */

import { cutBefore } from '../reply/markdown/emission/escape.ts';
import { parse } from '../reply/markdown/parse.ts';
import { plainBlocks, withAddresses } from '../reply/markdown/plain.ts';

/** Returns Markdown as plain text, with the address of each link behind its words. */
export const plainWithAddresses = (markdown: string): string =>
  plainBlocks(withAddresses(parse(markdown)), '\n\n');

/**
 * Returns the lines of the plain text, without blank ones. Lines that are too long are split between words.
 * @param limit maximum size of a line, in the unit of `size`
 * @param size returns the size of a text; by default, its length in UTF-16 units. For bytes, `Buffer.byteLength`
 * @example
 * ```ts
 * plainLines('One **two** three', 8); // ['One two', 'three']
 * ```
 */
export function plainLines(
  markdown: string,
  limit: number,
  size = (text: string): number => text.length,
): readonly string[] {
  const fitting = (line: string): readonly string[] => {
    if (size(line) <= limit) return line.trim() === '' ? [] : [line];
    let end = Math.min(line.length, limit);
    while (end > 1 && size(line.slice(0, end)) > limit) end = cutBefore(line, end - 1) || end - 1;
    return [line.slice(0, end).trimEnd(), ...fitting(line.slice(end).trimStart())];
  };
  return plainWithAddresses(markdown).split('\n').flatMap(fitting);
}
