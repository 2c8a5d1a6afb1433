import { once } from 'node:events';
import { jsonText, plain } from '../print.ts';

/*
 * Prints for this folder. The platform's text may contain control characters that a terminal would obey, so all output
 * passes through this file, which removes them. A test checks that no other file of this folder prints.
 */

/** Prints lines of the result on standard output. */
export const print = (text: string): void => console.log(plain(text));

/** Prints lines for people on standard error. */
export const note = (text: string): void => console.error(plain(text));

export const printJson = (value: unknown, replace?: (name: string, value: unknown) => unknown): void =>
  console.log(jsonText(value, replace));

/** Prints a piece of a text that grows, without a line end. */
export const printPiece = (text: string): void => void process.stdout.write(plain(text));

/** Prints a line on standard error. The next line replaces it, unless `last` is true. */
export const replaceNote = (text: string, last: boolean): void =>
  void process.stderr.write(`\r${plain(text)}${last ? '\n' : ''}`);

/** Prints content: unchanged into a pipe, without control characters on a terminal. */
export async function printContent(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const printable = (chunk: Uint8Array): string | Uint8Array =>
    process.stdout.isTTY ? plain(decoder.decode(chunk, { stream: true })) : chunk;
  for await (const chunk of chunks) {
    if (!process.stdout.write(printable(chunk))) await once(process.stdout, 'drain');
  }
}
