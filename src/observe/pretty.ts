/** A line of the log as a person at a terminal reads it. */

import { styleText } from 'node:util';

const COLOURS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

/** The line's time, level and text, then what it tells besides, an error with its stack below. */
export function prettyLine(line: string): string {
  const { level, time, msg, err, ...facts } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const told = Object.keys(facts).length === 0 ? '' : ` ${styleText('gray', JSON.stringify(facts))}`;
  return `${clockTime(time)} ${styled(String(level))} ${String(msg ?? '')}${told}${below(err)}\n`;
}

function styled(level: string): string {
  const colour = Object.entries(COLOURS).find(([name]) => name === level)?.[1] ?? 'white';
  return styleText(colour, level.toUpperCase().padEnd(5));
}

/** Of the day, where the bridge runs. */
function clockTime(time: unknown): string {
  return new Date(String(time)).toTimeString().slice(0, 'hh:mm:ss'.length);
}

function below(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as Readonly<Record<string, unknown>>;
  return `\n${String(stack ?? message ?? JSON.stringify(err)).replaceAll(/^/gm, '    ')}`;
}
