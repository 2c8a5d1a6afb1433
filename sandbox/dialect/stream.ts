import { asFields, formatJson } from '../http/json.ts';
import type { StreamDialect } from './names.ts';

/** Content type of each way to stream; undefined sends none. */
export function streamType(dialect: StreamDialect): string | undefined {
  switch (dialect) {
    case 'ndjson':
      return 'application/x-ndjson';
    case 'ndjson-text':
    case 'raw-text':
      return 'text/plain; charset=utf-8';
    case 'untyped':
      return undefined;
    default:
      return 'text/event-stream; charset=utf-8';
  }
}

/** The frames as bytes in the chosen dialect (platform contract DEC-1 to DEC-9). Each chunk is one event. */
export function streamBytes(frames: AsyncIterable<Frame>, dialect: StreamDialect): AsyncIterable<Uint8Array> {
  switch (dialect) {
    case 'split-bytes':
      return splitBytes(texts(frames, dialect));
    case 'no-last-blank':
      return withoutLastBlank(texts(frames, dialect));
    case 'balanced':
      return encoded(inPairs(frames));
    default:
      return encoded(texts(frames, dialect));
  }
}

async function* texts(frames: AsyncIterable<Frame>, dialect: StreamDialect): AsyncIterable<string> {
  let first = true;
  for await (const frame of frames) {
    const text = frameText(frame, dialect);
    yield first && dialect === 'bom' ? `\uFEFF${text}` : text;
    first = false;
  }
  if (dialect === 'done-marker') yield 'data: [DONE]\n\n';
  if (dialect === 'done-word') yield 'data: DONE\n\n';
  if (dialect === 'joined') yield '\n';
}

/** Frames by dialect; `plain` is the frame in the sandbox's own way. */
const FRAMES: Partial<Record<StreamDialect, (frame: Frame, plain: string) => string>> = {
  ndjson: (frame) => `${formatJson(marked(frame, 'event'))}\n`,
  'ndjson-text': (frame) => `${formatJson(marked(frame, 'event'))}\n`,
  'raw-text': ({ text }) => text,
  'raw-data': ({ text }) => (text === '' ? '' : `${lines('data: ', text)}\n\n`),
  'raw-lines': ({ text }) => (text === '' ? '' : `data: ${text}\n\n`),
  crlf: (_, plain) => plain.replaceAll('\n', '\r\n'),
  cr: (_, plain) => plain.replaceAll('\n', '\r'),
  'no-space': (_, plain) => plain.replace(/^(data|event): /gm, '$1:'),
  'bare-end': ({ kind }, plain) => (kind === 'end' ? 'event: end\n\n' : plain),
  joined: (frame) => `data: ${formatJson(marked(frame, 'event'))}\n`,
  heartbeats: (_, plain) => `: ping\n\nevent: ping\ndata: {}\n\nevent: heartbeat\ndata:\n\n${plain}`,
  numbers: (_, plain) => `data: 7\n\n${plain}`,
  'kind-event': (frame) => event(undefined, marked(frame, 'event')),
  'kind-type': (frame) => event(undefined, marked(frame, 'type')),
  'kind-kind': (frame) => event(undefined, marked(frame, 'kind')),
  'kind-category': (frame) => event(undefined, marked(frame, 'category')),
  'kind-inferred': ({ kind, data }) =>
    event(undefined, kind === 'end' ? { ...asFields(data), done: true } : data),
  aliases: ({ kind, data }) => event(ALIASES[kind], data),
  'unknown-kinds': (_, plain) => `event: telemetry\ndata: {"content":"not a part of the answer"}\n\n${plain}`,
  'only-unknown': ({ kind, data }) => (kind === 'stream' ? event('fragment', data) : ''),
};

function frameText(frame: Frame, dialect: StreamDialect): string {
  const plain = event(frame.event, frame.data);
  return FRAMES[dialect]?.(frame, plain) ?? plain;
}

const ALIASES = { stream: 'answer', tool_result: 'tool', end: 'finish', error: 'error' } as const;

const event = (name: string | undefined, data: unknown): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${formatJson(data)}\n\n`;

const lines = (prefix: string, text: string): string =>
  text
    .split('\n')
    .map((line) => prefix + line)
    .join('\n');

/** The data with its kind as a member; data that is no object keeps its shape. */
function marked(frame: Frame, name: string): unknown {
  const data = asFields(frame.data);
  return data === undefined ? frame.data : { [name]: frame.kind, ...data };
}

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

async function* encoded(parts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const part of parts) if (part !== '') yield Buffer.from(part, 'utf8');
}

async function* splitBytes(parts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const part of encoded(parts)) {
    for (let at = 0; at < part.length; at += 1) {
      yield part.subarray(at, at + 1);
      await new Promise(setImmediate);
    }
  }
}

async function* withoutLastBlank(parts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  let held = '';
  for await (const part of parts) {
    if (held !== '') yield Buffer.from(held, 'utf8');
    held = part;
  }
  yield Buffer.from(held.replace(/\n+$/, ''), 'utf8');
}

/** One event of an answer before its bytes are chosen. */
export interface Frame {
  readonly kind: 'stream' | 'tool_result' | 'end' | 'error';
  /** Name of the event; the Open API sends none (platform contract EXP-14). */
  readonly event: string | undefined;
  readonly data: unknown;
  /** The words that this frame adds, for dialects that send nothing but text. */
  readonly text: string;
}
