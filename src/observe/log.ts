import { styleText } from 'node:util';
import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import type { TurnId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { CoreEvent, TurnEvents } from '../core/turn-events.ts';
import { MASK, maskCredentials } from '../secret.ts';

interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'json' | 'pretty';
  /** Writes one line of text, which already ends with a line break. */
  readonly write: (line: string) => void;
}

/** Creates a log that writes one line per call, as JSON or in a format for people. Secrets appear as `***`. */
export function createLog({ level, format, write }: LogOptions): Log {
  const shape = format === 'pretty' ? prettyLine : (line: string) => line;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => traceFact(trace.getActiveSpan()?.spanContext().traceId),
    },
    { write: (line) => write(shape(line)) },
  );
  const line = (name: LogOptions['level']) => (facts: Facts, text: string) => {
    if (logger.isLevelEnabled(name)) logger[name](maskFacts(facts), maskText(text));
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** Names a trace as OpenTelemetry does in logs ("Trace Context in non-OTLP Log Formats"). */
const traceFact = (id: string | undefined) => (id === undefined ? {} : { trace_id: id });

/** Matches names of facts whose values are secret and therefore masked. */
const SECRET_NAME = /secret|password|authorization|cookie|signature|api-?key|^(access_?|console)?token$/i;
/** Maximum nesting of a log line's facts (its properties); values that are nested deeper are omitted. */
const DEPTH = 4;
/** Maximum length of one text in a log line, in UTF-16 units; the rest is cut off. */
const LENGTH = 4_000;

type Facts = Readonly<Record<string, unknown>>;

const maskText = (text: string): string => maskCredentials(text.slice(0, LENGTH));

/**
 * Masks the secrets in the fields of a log line: the whole value if the field's name indicates a secret, else only
 * credentials inside texts. An error keeps its code, stack and cause, whose texts are masked in the same way.
 */
function maskFacts(facts: Facts, depth = 0): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      SECRET_NAME.test(name) ? MASK : maskValue(value, depth),
    ]),
  );
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH) return '…';
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  if (value instanceof Error) return maskError(value, depth);
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => maskValue(item, depth + 1));
  return maskFacts({ ...value }, depth + 1);
}

function maskError(error: Error, depth: number): Facts {
  const { cause, stack } = error;
  return {
    type: error.name,
    ...('code' in error && { code: error.code }),
    message: maskText(error.message),
    ...('facts' in error && { facts: maskValue(error.facts, depth + 1) }),
    ...(stack !== undefined && { stack: maskText(stack) }),
    ...(cause !== undefined && { cause: maskValue(cause, depth + 1) }),
  };
}

const COLOURS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

/** Formats a log line for people: time, level, text, other facts, then the error with its stack. */
function prettyLine(line: string): string {
  const { level, time, msg, err, ...facts } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const details = Object.keys(facts).length === 0 ? '' : ` ${styleText('gray', JSON.stringify(facts))}`;
  return `${clockTime(time)} ${styled(String(level))} ${String(msg ?? '')}${details}${below(err)}\n`;
}

function styled(level: string): string {
  const colour = Object.entries(COLOURS).find(([name]) => name === level)?.[1] ?? 'white';
  return styleText(colour, level.toUpperCase().padEnd(5));
}

/** Returns the local time of day as hh:mm:ss. */
function clockTime(time: unknown): string {
  return new Date(String(time)).toTimeString().slice(0, 'hh:mm:ss'.length);
}

function below(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as Readonly<Record<string, unknown>>;
  return `\n${String(stack ?? message ?? JSON.stringify(err)).replaceAll(/^/gm, '    ')}`;
}

/** Passes each event to every receiver. If one of them throws, the other receivers and the core are not affected. */
export function everyTurnEvents(receivers: readonly TurnEvents[], log: Log): TurnEvents {
  const tell = (how: (turnEvents: TurnEvents) => void): void => {
    for (const turnEvents of receivers) {
      try {
        how(turnEvents);
      } catch (err) {
        log.error({ err }, 'a receiver of turn events failed');
      }
    }
  };
  return {
    record: (event) => tell((turnEvents) => turnEvents.record(event)),
    trouble: (error, at) => tell((turnEvents) => turnEvents.trouble(error, at)),
  };
}

/** Events that are logged at the level `info`; all others are logged at the level `debug`. */
const USUAL: ReadonlySet<CoreEvent['name']> = new Set([
  'kept',
  'claimed',
  'interrupted',
  'released',
  'postponed',
  'settled',
]);

/**
 * Logs the events of turns. Every line contains the turn's id as `turn`, so that a message can be followed to its
 * reply. No line contains message text.
 * @param traceOf returns the id of the turn's trace; undefined if the turn is not traced
 */
export function logTurnEvents(
  log: Log,
  traceOf: (turn: TurnId) => string | undefined = () => undefined,
): TurnEvents {
  return {
    record({ turn, name, detail }) {
      const facts = { turn, event: name, ...detail, ...traceFact(traceOf(turn)) };
      if (name === 'trouble') return log.warn(facts, 'turn: trouble');
      if (name === 'move' && detail.outcome !== 'done') return log.warn(facts, 'turn: a call was not done');
      return USUAL.has(name) ? log.info(facts, `turn: ${name}`) : log.debug(facts, `turn: ${name}`);
    },
    trouble: (err) => log.error({ code: err.code, err }, err.message),
  };
}
