import { once } from 'node:events';
import { jsonText, plain } from '../print.ts';

/*
 * The one way from here to the terminal. What the platform sent is nobody's command to it, so a line that another file
 * of this folder prints by itself is a fault, and a test looks for it.
 */

/** A line, or several, of the result. */
export const print = (text: string): void => console.log(plain(text));

/** A line beside the result, for people only. */
export const note = (text: string): void => console.error(plain(text));

export const printJson = (value: unknown, replace?: (name: string, value: unknown) => unknown): void =>
  console.log(jsonText(value, replace));

/** A piece of a text that grows. */
export const grow = (text: string): void => void process.stdout.write(plain(text));

/** A line beside the result that the next one replaces. */
export const replaceNote = (text: string, last: boolean): void =>
  void process.stderr.write(`\r${plain(text)}${last ? '\n' : ''}`);

/** Content as it is; a terminal gets its text only. */
export async function pour(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const shown = (chunk: Uint8Array): string | Uint8Array =>
    process.stdout.isTTY ? plain(decoder.decode(chunk, { stream: true })) : chunk;
  for await (const chunk of chunks) {
    if (!process.stdout.write(shown(chunk))) await once(process.stdout, 'drain');
  }
}
