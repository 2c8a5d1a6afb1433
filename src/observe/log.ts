import { pino } from 'pino';
import type { Log } from '../core/log.ts';
import { type Facts, maskFacts, maskText } from './mask.ts';
import { prettyLine } from './pretty.ts';

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'json' | 'pretty';
  /** Where lines go; each ends with a line break. */
  readonly write: (line: string) => void;
}

/** One JSON line (or a pretty one) for each call; secrets come out as `***`. */
export function createLog({ level, format, write }: LogOptions): Log {
  const shape = format === 'pretty' ? prettyLine : (line: string) => line;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(shape(line)) },
  );
  const line = (name: LogOptions['level']) => (facts: Facts, text: string) => {
    if (logger.isLevelEnabled(name)) logger[name](maskFacts(facts), maskText(text));
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
