import { asFields, formatJson } from '../http/json.ts';

/** One event of an answer, not yet encoded in a dialect. */
export interface Frame {
  readonly kind: 'stream' | 'tool_result' | 'end' | 'error';
  /** Name of the event; undefined in the Open API, whose events have no names (platform contract EXP-14: streams). */
  readonly event: string | undefined;
  readonly data: unknown;
  /** Text that this event adds. Dialects that send nothing but text use it. */
  readonly text: string;
}

type Chunks = AsyncIterable<Uint8Array>;

/** Content types of dialects that do not send an event stream. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  ndjson: 'application/x-ndjson', // DEC-1: line-delimited JSON
  'ndjson-text': 'text/plain; charset=utf-8', // DEC-1: line-delimited JSON, sent as plain text
  'raw-text': 'text/plain; charset=utf-8', // DEC-1: the text itself
  untyped: undefined, // DEC-1: events without a content type
};

/** Encodes an event, by dialect. The argument `plain` is the event as the plain dialect encodes it. */
const FRAMES: Readonly<Record<string, (frame: Frame, plain: string) => string>> = {
  ndjson: (frame) => `${formatJson(marked(frame, 'event'))}\n`,
  'ndjson-text': (frame) => `${formatJson(marked(frame, 'event'))}\n`,
  'raw-text': ({ text }) => text,
  'raw-data': ({ text }) => (text === '' ? '' : `data: ${text.replaceAll('\n', '\ndata: ')}\n\n`), // DEC-10: the text itself
  'raw-lines': ({ text }) => (text === '' ? '' : `data: ${text}\n\n`), // DEC-5a: with unescaped line feeds
  crlf: (_, plain) => plain.replaceAll('\n', '\r\n'), // DEC-2: other line ends
  cr: (_, plain) => plain.replaceAll('\n', '\r'), // DEC-2: other line ends
  'no-space': (_, plain) => plain.replace(/^(data|event): /gm, '$1:'), // DEC-2: no space after the colon
  'bare-end': ({ kind }, plain) => (kind === 'end' ? 'event: end\n\n' : plain), // DEC-4: an end event without data
  joined: (frame) => `data: ${formatJson(marked(frame, 'event'))}\n`, // DEC-5: no blank lines between data lines
  // DEC-6: comments and empty events between the chunks
  heartbeats: (_, plain) => `: ping\n\nevent: ping\ndata: {}\n\nevent: heartbeat\ndata:\n\n${plain}`,
  numbers: (_, plain) => `data: 7\n\n${plain}`, // DEC-7: bare numbers between the chunks
  // DEC-8: the kind as a field of the JSON object
  'kind-event': (frame) => event(undefined, marked(frame, 'event')),
  'kind-type': (frame) => event(undefined, marked(frame, 'type')),
  'kind-kind': (frame) => event(undefined, marked(frame, 'kind')),
  'kind-category': (frame) => event(undefined, marked(frame, 'category')),
  'kind-inferred': ({ kind, data }) =>
    event(undefined, kind === 'end' ? { ...asFields(data), done: true } : data),
  aliases: ({ kind, data }) => event(ALIASES[kind], data),
  // DEC-9: `unknown-kinds` sends unknown kinds between known ones; `only-unknown` sends only unknown kinds
  'unknown-kinds': (_, plain) => `event: telemetry\ndata: {"content":"not a part of the answer"}\n\n${plain}`,
  'only-unknown': ({ kind, data }) => (kind === 'stream' ? event('fragment', data) : ''),
};

/** Text that is sent after the last event, by dialect. */
const ENDINGS: Readonly<Record<string, string>> = {
  'done-marker': 'data: [DONE]\n\n', // DEC-7: an end marker
  'done-word': 'data: DONE\n\n', // DEC-7: an end marker
  joined: '\n',
};

/** Dialects that change the bytes of the whole stream. */
const STREAMS: Readonly<Record<string, (chunks: Chunks) => Chunks>> = {
  'split-bytes': (chunks) => singleBytes(chunks, () => new Promise(setImmediate)), // DEC-2: one byte a write
  'no-last-blank': (chunks) => changeLast(chunks, (last) => [withoutBlank(last)]), // DEC-3: no blank line at the end
  bom: withByteOrderMark, // DEC-1: a byte-order mark
};

/** All dialects of streams. With `json`, a request for a stream gets one JSON body (platform contract DEC-1). */
export const STREAM_DIALECTS = [
  ...new Set([
    'plain',
    'json',
    'balanced',
    ...[TYPES, FRAMES, ENDINGS, STREAMS].flatMap((each) => Object.keys(each)),
  ]),
];

/** Returns the content type that a dialect sends; undefined if it sends none. */
export const streamType = (dialect: string): string | undefined =>
  Object.hasOwn(TYPES, dialect) ? TYPES[dialect] : 'text/event-stream; charset=utf-8';

/**
 * Encodes the frames in the chosen dialect (platform contract DEC-1 to DEC-9). In most dialects, each chunk is one
 * event.
 */
export function streamBytes(frames: AsyncIterable<Frame>, dialect: string): Chunks {
  const chunks = encoded(dialect === 'balanced' ? inPairs(frames) : texts(frames, dialect));
  return STREAMS[dialect]?.(chunks) ?? chunks;
}

async function* texts(frames: AsyncIterable<Frame>, dialect: string): AsyncIterable<string> {
  for await (const frame of frames) {
    const plain = event(frame.event, frame.data);
    yield FRAMES[dialect]?.(frame, plain) ?? plain;
  }
  yield ENDINGS[dialect] ?? '';
}

const ALIASES = { stream: 'answer', tool_result: 'tool', end: 'finish', error: 'error' } as const;

const event = (name: string | undefined, data: unknown): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${formatJson(data)}\n\n`;

/** Adds the kind of event as a field, if the data is an object. */
function marked(frame: Frame, name: string): unknown {
  const data = asFields(frame.data);
  return data === undefined ? frame.data : { [name]: frame.kind, ...data };
}

/** Puts two objects into one data line (platform contract DEC-5). */
async function* inPairs(frames: AsyncIterable<Frame>): AsyncIterable<string> {
  let held = '';
  for await (const frame of frames) {
    const text = formatJson(marked(frame, 'event'));
    if (held === '') held = text;
    else {
      yield `data: ${held}${text}\n\n`;
      held = '';
    }
  }
  if (held !== '') yield `data: ${held}\n\n`;
}

async function* encoded(parts: AsyncIterable<string>): Chunks {
  for await (const part of parts) if (part !== '') yield Buffer.from(part, 'utf8');
}

export async function* singleBytes(chunks: Chunks, pause: () => Promise<unknown>): Chunks {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += 1) {
      yield chunk.subarray(at, at + 1);
      await pause();
    }
  }
}

export async function* withByteOrderMark(chunks: Chunks): Chunks {
  let mark = Buffer.from('\uFEFF');
  for await (const chunk of chunks) {
    yield Buffer.concat([mark, chunk]);
    mark = Buffer.alloc(0);
  }
}

export async function* changeLast(
  chunks: Chunks,
  change: (last: Uint8Array) => readonly Uint8Array[],
): Chunks {
  let held: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (held !== undefined) yield* change(held);
}

export const withoutBlank = (chunk: Uint8Array): Uint8Array =>
  Buffer.from(
    Buffer.from(chunk)
      .toString('utf8')
      .replace(/[\r\n]+$/, ''),
  );
