import { once } from 'node:events';
import { jsonText, plain } from '../print.ts';

/*
 * All output of this folder passes through this file, because the platform's text may contain control
 * characters that a terminal would interpret. A test checks that no other file of this folder prints.
 */

/** Prints a line or several lines of the result. */
export const print = (text: string): void => console.log(plain(text));

/** Prints a line for people on standard error. */
export const note = (text: string): void => console.error(plain(text));

export const printJson = (value: unknown, replace?: (name: string, value: unknown) => unknown): void =>
  console.log(jsonText(value, replace));

/** Prints a piece of a growing text. */
export const printPiece = (text: string): void => void process.stdout.write(plain(text));

/** Prints a line on standard error that the next one replaces. */
export const replaceNote = (text: string, last: boolean): void =>
  void process.stderr.write(`\r${plain(text)}${last ? '\n' : ''}`);

/** Writes content unchanged to a pipe, and as plain text to a terminal. */
export async function printContent(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const shown = (chunk: Uint8Array): string | Uint8Array =>
    process.stdout.isTTY ? plain(decoder.decode(chunk, { stream: true })) : chunk;
  for await (const chunk of chunks) {
    if (!process.stdout.write(shown(chunk))) await once(process.stdout, 'drain');
  }
}
