/**
 * A collector that receives traces over OTLP/HTTP. It decodes them with the code that OpenTelemetry generated from its
 * protocol definition (opentelemetry-proto). Later versions of that package, as the exporter uses, encode by hand.
 */

import { gunzipSync } from 'node:zlib';
import definition from 'otlp-definition/build/src/generated/root.js';
import { listen, readBody } from './listen.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentId: string;
  readonly name: string;
  /** As the definition names it, such as `SPAN_KIND_CLIENT`. */
  readonly kind: string;
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

/** A request that was decoded: 64-bit numbers are texts, and enumerations are their names. */
interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}
interface DecodedSpan extends Record<'traceId' | 'spanId' | 'parentSpanId', Uint8Array> {
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string }[];
  readonly status: { readonly code: string; readonly message: string };
}
/** The value has one property, named by its type, such as `stringValue`. */
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Decoder {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): Decoded;
}

const { opentelemetry } = definition as unknown as {
  readonly opentelemetry: {
    readonly proto: { readonly collector: { trace: { v1: { ExportTraceServiceRequest: Decoder } } } };
  };
};
const { ExportTraceServiceRequest } = opentelemetry.proto.collector.trace.v1;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ms = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1_000_000n);
const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    attributes.map(({ key, value: { intValue, ...value } }) => [
      key,
      intValue === undefined ? Object.values(value)[0] : Number(intValue),
    ]),
  );

function spansIn(body: Buffer): readonly ReceivedSpan[] {
  const options = { longs: String, enums: String, arrays: true, defaults: false };
  const request = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), options);
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, status, ...span }) => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentId: hex(span.parentSpanId ?? new Uint8Array()),
        name,
        kind,
        from: ms(span.startTimeUnixNano),
        until: ms(span.endTimeUnixNano),
        attributes: valuesOf(span.attributes),
        events: span.events.map((event) => event.name),
        error: status.code === 'STATUS_CODE_ERROR' ? status.message : undefined,
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}
