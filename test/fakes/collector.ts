/**
 * A collector that receives traces over OTLP/HTTP. It reads the messages of opentelemetry-proto v1.9.0 by their field
 * numbers (opentelemetry/proto/trace/v1/trace.proto, common/v1/common.proto, resource/v1/resource.proto).
 */

import { gunzipSync } from 'node:zlib';
import { listen, readBody } from './listen.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentId: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  /** The message of the status; undefined unless the status is an error. */
  readonly error: string | undefined;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** All bytes that arrived, to search them for words that must not arrive. */
  bytes(): Buffer;
  /** If true, requests get no response. */
  hangs: boolean;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  const { url, close } = await listen(
    new Map([
      [
        '/v1/traces',
        async (request, response) => {
          const sent = await readBody(request);
          if (collector.hangs) return;
          const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
          bodies.push(body);
          collector.spans.push(...spansIn(body));
          response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
        },
      ],
    ]),
    0,
  );
  const collector: Collector = { url, spans: [], bytes: () => Buffer.concat(bodies), hangs: false, close };
  return collector;
}

/** The values of a message by field number: a number for a varint, else the bytes. */
type Message = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

function read(bytes: Buffer): Message {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const lengths = { 1: () => 8, 2: () => Number(varint()), 5: () => 4 } as const;
    const wire = tag & 7;
    const value = wire === 0 ? varint() : take(lengths[wire as keyof typeof lengths]());
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (message: Message, field: number): readonly Message[] =>
  (message.get(field) ?? []).map((value) => read(value as Buffer));
const bytesOf = (message: Message, field: number): Buffer =>
  (message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const text = (message: Message, field: number): string => bytesOf(message, field).toString();
const hex = (message: Message, field: number): string => bytesOf(message, field).toString('hex');
const time = (message: Message, field: number): number =>
  Number(bytesOf(message, field).readBigUInt64LE() / 1_000_000n);

function attributesOf(message: Message, field: number): Readonly<Record<string, unknown>> {
  const entries = messages(message, field).map((entry) => {
    const [value = new Map()] = messages(entry, 2);
    return [text(entry, 1), scalarOf(value)] as const;
  });
  return Object.fromEntries(entries);
}

function scalarOf(value: Message): unknown {
  if (value.has(1)) return text(value, 1);
  if (value.has(2)) return value.get(2)?.[0] === 1n;
  if (value.has(3)) return Number(value.get(3)?.[0]);
  return value.has(4) ? bytesOf(value, 4).readDoubleLE() : undefined;
}

const ERROR = 2n;

function spansIn(body: Buffer): readonly ReceivedSpan[] {
  return messages(read(body), 1).flatMap((group) => {
    const [resource = new Map()] = messages(group, 1);
    return messages(group, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => {
        const [status = new Map()] = messages(span, 15);
        return {
          traceId: hex(span, 1),
          spanId: hex(span, 2),
          parentId: hex(span, 4),
          name: text(span, 5),
          from: time(span, 7),
          until: time(span, 8),
          attributes: attributesOf(span, 9),
          events: messages(span, 11).map((event) => text(event, 2)),
          error: status.get(3)?.[0] === ERROR ? text(status, 2) : undefined,
          resource: attributesOf(resource, 1),
        };
      }),
    );
  });
}
