import type { Finding } from '../core/agents/agent.ts';

/** Characters that change the direction of text, with which one name can be made to look like another. */
const TURNS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const OBEYED = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${TURNS}]`, 'g');
/** Control characters that `JSON.stringify` does not escape. */
const UNESCAPED = new RegExp(`[\\u007f-\\u009f${TURNS}]`, 'g');

/** Removes characters that a terminal would obey instead of showing them. */
export function plain(text: string): string {
  return text.replace(OBEYED, '');
}

/** Formats a finding as a line of `parley doctor`. */
export function findingLine({ ok, tested, what, detail }: Finding): string {
  const sign = ok ? (tested === false ? '  -- ' : '  ok ') : 'FAULT';
  return `${sign}  ${what}: ${detail}`;
}

/** Prints lines for people, such as the summary of a command's result. */
export function printLines(lines: readonly string[]): void {
  for (const line of lines) console.log(plain(line));
}

/** Prints a result as JSON if the option `--json` is given, else as lines. */
export function printResult(json: true | undefined, value: unknown, lines: readonly string[]): void {
  if (json) console.log(jsonText(value));
  else printLines(lines);
}

/** Returns JSON without characters that a terminal would obey. It has the same value as the usual JSON. */
export function jsonText(value: unknown, replace?: (name: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replace, 2);
  return text.replace(UNESCAPED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns a function that prints a growing text. Printed text cannot be removed, so if the agent rewrites the text, the
 * whole text is printed again below a line.
 */
export function createGrowth(out: (text: string) => void): (text: string, rewrites: number) => void {
  let printed = 0;
  let known = 0;
  return (text, rewrites) => {
    if (rewrites !== known && printed > 0) {
      out('\n\n---\n\n');
      printed = 0;
    }
    known = rewrites;
    out(plain(text.slice(printed)));
    printed = text.length;
  };
}
