import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { BridgeError } from '../../errors.ts';
import { tryJson } from '../json.ts';
import { MAX_EVENT_CHARS, MAX_JSON_BYTES } from '../limits.ts';
import { one } from '../shapes.ts';
import { Lines } from './lines.ts';
import { ObjectScanner, type Value, valuesOf } from './values.ts';

/** One event of a stream, or the equivalent in another format. */
export interface Frame {
  /** The name of the event. */
  readonly event?: string;
  readonly values: readonly Value[];
  /**
   * Lines that the event parser drops. They are kept, because raw text with bare line feeds looks like such lines
   * (platform contract DEC-5a).
   */
  readonly stray?: readonly string[];
  /** Set if the whole body was one JSON value, whose text is then the complete answer (platform contract DEC-16). */
  readonly whole?: true;
}

/** Splits decoded text into frames. The result is lazy, so that the frames before an error are still returned. */
export interface Framer {
  push(text: string): Iterable<Frame>;
  end(): Iterable<Frame>;
  /** True while an incomplete frame waits for more data. */
  holds(): boolean;
  /** True for plain text, which has no end marker. */
  readonly unmarked?: boolean;
}

/** Thrown if one event exceeds the size limit (fault F11). */
export class EventTooLarge extends Error {}

function bounded(length: number): void {
  if (length > MAX_EVENT_CHARS) throw new EventTooLarge();
}

/**
 * Returns the framer for a content type. If the type is missing or wrong, the content decides (platform contract
 * DEC-1).
 */
export function framerFor(contentType: string | undefined): Framer {
  const promise = promised(contentType);
  if (promise === 'page') throw pageInstead();
  if (promise === 'json') return jsonFramer();
  return sniffingFramer(promise === 'events' ? sniffEvents : sniff);
}

function pageInstead(): BridgeError {
  return new BridgeError(
    'platform-protocol',
    'The platform sent a web page instead of an answer. Check the base address, and proxies in front of the platform.',
    { facts: { page: true } },
  );
}

const natures: Readonly<Record<Nature, () => Framer>> = {
  events: eventFramer,
  objects: objectFramer,
  text: textFramer,
  page: () => {
    throw pageInstead();
  },
};

function sniffingFramer(look: typeof sniff): Framer {
  let seen = '';
  let chosen: Framer | undefined;
  const choose = (ended: boolean): Framer | undefined => {
    const nature = look(seen, ended);
    return nature === undefined ? undefined : natures[nature]();
  };
  return {
    *push(text) {
      if (chosen !== undefined) return yield* chosen.push(text);
      seen += text;
      bounded(seen.length);
      chosen = choose(false);
      if (chosen !== undefined) yield* chosen.push(seen);
    },
    *end() {
      if (chosen !== undefined) return yield* chosen.end();
      const last = seen.trim() === '' ? undefined : choose(true);
      if (last === undefined) return;
      chosen = last;
      yield* last.push(seen);
      yield* last.end();
    },
    holds: () => chosen?.holds() ?? seen.trim() !== '',
    get unmarked() {
      return chosen?.unmarked ?? false;
    },
  };
}

/**
 * Reads event streams. Passes whole events to the parser, because the parser drops the start of a line that it cannot
 * use.
 */
function eventFramer(): Framer {
  const lines = new Lines();
  let events: EventSourceMessage[] = [];
  let stray: string[] = [];
  let event = '';
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError: ({ type, line }) => {
      if (type === 'unknown-field' && line !== undefined) stray.push(line);
    },
  });
  function* framesOf(added: readonly string[]): Generator<Frame> {
    for (const line of added) {
      if (line !== '') {
        event += `${line}\n`;
        bounded(event.length);
      } else if (event !== '') {
        parser.feed(`${event}\n`);
        event = '';
        if (events.length > 0 || stray.length > 0) yield frameOf(events[0], stray);
        events = [];
        stray = [];
      }
    }
  }
  return {
    *push(text) {
      yield* framesOf(lines.push(text));
      bounded(event.length + lines.held);
    },
    // A blank line ends the last event, which the parser would otherwise drop as unfinished (platform contract
    // DEC-3).
    end: () => framesOf([...lines.end(), '']),
    holds: () => false,
  };
}

function frameOf(event: EventSourceMessage | undefined, stray: readonly string[]): Frame {
  return {
    values: event === undefined ? [] : valuesOf(event.data),
    ...(event?.event === undefined ? {} : { event: event.event }),
    ...(stray.length === 0 ? {} : { stray }),
  };
}

function objectFramer(): Framer {
  const scanner = new ObjectScanner();
  return {
    *push(text) {
      for (const value of scanner.push(text)) yield { values: [value] };
      bounded(scanner.held);
    },
    end: () => scanner.end().map((value) => ({ values: [value] })),
    holds: () => scanner.held > 0,
  };
}

function textFramer(): Framer {
  return {
    push: (text) => (text === '' ? [] : [{ values: [{ kind: 'raw', text }] }]),
    end: () => [],
    holds: () => false,
    unmarked: true,
  };
}

/**
 * Reads a body that is labelled as JSON. If it is in fact a stream of events or objects, it is read as a stream. Any
 * other text throws an error.
 */
function jsonFramer(): Framer {
  const pieces: string[] = [];
  let length = 0;
  return {
    push: (text) => {
      pieces.push(text);
      length += text.length;
      if (length <= MAX_JSON_BYTES) return [];
      throw new BridgeError('platform-too-large', `The answer is larger than ${MAX_JSON_BYTES} characters.`);
    },
    *end() {
      const text = pieces.join('');
      const value = tryJson(text);
      if (Array.isArray(value) && value.length > 1) return yield { values: valuesOf(text) };
      if (value !== undefined)
        return yield { values: [{ kind: 'json', value: one(value) ?? value }], whole: true };
      if (sniff(text, true) === 'text' && text.trim() !== '') {
        throw new BridgeError('platform-protocol', 'The platform sent malformed JSON instead of an answer.');
      }
      const framer = sniffingFramer(sniff);
      yield* framer.push(text);
      yield* framer.end();
    },
    holds: () => length > 0,
  };
}

/** The format that was detected in a body (platform contract DEC-1). */
type Nature = 'events' | 'objects' | 'text' | 'page';

const FIELDS = ['data:', 'event:', 'id:', 'retry:', ':'];
const PAGES = ['<!doctype', '<html'];

/**
 * Detects the format from the first non-blank characters. Returns `undefined` while several formats are possible.
 * @param ended true if no more text follows
 */
export function sniff(text: string, ended: boolean): Nature | undefined {
  const head = text.trimStart().slice(0, 16).toLowerCase();
  if (head.startsWith('{') || head.startsWith('[')) return 'objects';
  if (FIELDS.some((field) => head.startsWith(field))) return 'events';
  if (PAGES.some((page) => head.startsWith(page))) return 'page';
  const open = [...FIELDS, ...PAGES].some((word) => word.startsWith(head));
  return open && !ended ? undefined : 'text';
}

/** Matches a line of an event: any field name with a colon, or a standard field name without a value. */
const FIELD_LINE = /^\s*(?:(?:data|event|id|retry)[\r\n]|[A-Za-z][\w-]{0,40}:)/;
const MAY_BECOME_FIELD = /^\s*(?:[A-Za-z][\w-]{0,40})?$/;

/**
 * Like `sniff`, for a body that is labelled as an event stream. Here a field with any name starts an event (platform
 * contract DEC-1).
 */
export function sniffEvents(text: string, ended: boolean): Nature | undefined {
  const nature = sniff(text, ended);
  if (nature !== 'text') return nature;
  if (FIELD_LINE.test(text)) return 'events';
  return MAY_BECOME_FIELD.test(text) && !ended ? undefined : 'text';
}

/** Returns the format that the content type states; undefined if the content must decide. */
export function promised(contentType: string | undefined): 'json' | 'page' | 'events' | undefined {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return 'events';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'page';
  return type === 'application/json' || /^application\/(?!x-ndjson).*\+json$/.test(type) ? 'json' : undefined;
}
