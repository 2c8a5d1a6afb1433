/** Makes an OpenTelemetry trace of each turn. Until a program registers an SDK, the API makes no spans. */

import { context, isSpanContextValid, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import type { TurnId } from '../core/ids.ts';
import type { Turn } from '../core/turn.ts';
import type { CoreEvent } from '../core/turn-events.ts';
import { BridgeError } from '../errors.ts';
import { idsOf, withIds } from './trace-ids.ts';
import { fail, type TracedRequest, TurnTrace, turnIn } from './turn-trace.ts';

/** Maximum number of turns with open spans: enough for all running and waiting turns. */
const TURNS = 10_000;

export type Traces = ReturnType<typeof createTraces>;

/**
 * @param version the bridge's own version
 * @param isLatest true for the newest names of the GenAI conventions, which have no stable version yet
 */
export function createTraces(clock: Pick<Clock, 'now'>, version: string | undefined, isLatest: boolean) {
  const tracer = trace.getTracer('parley', version);
  const turns = new LRUCache<TurnId, TurnTrace>({ max: TURNS });
  /** Returns undefined if no SDK is registered. */
  const open = (turn: TurnId, from: number, facts: CoreEvent['detail']): TurnTrace | undefined => {
    const known = turns.get(turn);
    if (known !== undefined) return known;
    const channel = String(facts.channel);
    const attributes = {
      'parley.turn.id': turn,
      'parley.origin': String(facts.origin),
      'messaging.system': channel,
      'messaging.operation.name': 'process',
    };
    const options = { kind: SpanKind.CONSUMER, attributes, startTime: new Date(from) };
    const span = withIds(idsOf(turn), () => tracer.startSpan('turn', options, ROOT_CONTEXT));
    if (!isSpanContextValid(span.spanContext())) return undefined;
    const opened = new TurnTrace(tracer, span, channel, isLatest);
    turns.set(turn, opened);
    return opened;
  };
  return {
    turnEvents: {
      record(event: CoreEvent): void {
        const { turn, name, at, detail } = event;
        const traced = name === 'kept' ? open(turn, at - Number(detail.ms), detail) : turns.get(turn);
        traced?.see(event);
      },
      trouble: () => undefined,
    },
    /** Returns the id of the turn's trace; undefined if the turn is not traced. */
    idOf: (turn: TurnId): string | undefined => turns.get(turn)?.traceId,
    /** Does the work of a claimed turn. Requests to the platform that are made meanwhile become spans of the turn. */
    async run({ id, keptAt, origin, message }: Turn, work: () => Promise<void>): Promise<void> {
      const { channel } = message.thread;
      const traced = open(id, keptAt, { channel, origin: origin.kind });
      if (traced === undefined) return work();
      try {
        await context.with(traced.inside, work);
      } finally {
        traced.leave(clock.now());
        if (turns.get(id) === traced) turns.delete(id);
      }
    },
    request: traceRequest,
  };
}

/** Starts the span of a request to the platform; returns undefined if no traced turn makes the request. */
function traceRequest(request: TracedRequest) {
  const span = turnIn(context.active())?.request(request);
  if (span === undefined) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    /** The value of the header `traceparent` (W3C Trace Context, version 00). */
    traceparent: `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`,
    answered(status: number): void {
      span.setAttribute('http.response.status_code', status);
      if (status >= 400) fail(span, String(status));
    },
    /** Ends the span once. A request that was aborted, for example by Stop, has not failed. */
    end(thrown?: unknown): void {
      if (!span.isRecording()) return;
      if (thrown instanceof BridgeError) fail(span, thrown.code);
      else if (thrown !== undefined) span.setAttribute('parley.outcome', 'stopped');
      span.end();
    },
  };
}
