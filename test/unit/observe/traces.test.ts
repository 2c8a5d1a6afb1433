/** Tests the spans of turns with OpenTelemetry's own SDK. The tests of `test/e2e/traces.test.ts` export them. */

import { SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  type IdGenerator,
  InMemorySpanExporter,
  ParentBasedSampler,
  RandomIdGenerator,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { CoreEvent } from '../../../src/core/turn-events.ts';
import { idsOf, traceIds } from '../../../src/observe/trace-ids.ts';
import { createTraces } from '../../../src/observe/traces.ts';

const TURN = turnId('0f7e2a4c-1b3d-4e5f-8a9b-0c1d2e3f4a5b');
const TRACE = '0f7e2a4c1b3d4e5f8a9b0c1d2e3f4a5b';

const exporter = new InMemorySpanExporter();

function register(idGenerator: IdGenerator, isOff = false): void {
  const root = isOff ? { sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }) } : {};
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  trace.setGlobalTracerProvider(new TracerProvider({ idGenerator, spanProcessors, ...root }));
}

beforeEach(() => exporter.reset());
afterEach(() => trace.disable());

const tracesOf = (isLatest = false) => createTraces({ now: () => 9_000 }, '1.0.0', isLatest);

/** Records events of one turn, each with its time in milliseconds. */
function play(
  traces: ReturnType<typeof tracesOf>,
  events: readonly (readonly [at: number, CoreEvent['name'], CoreEvent['detail']])[],
): void {
  for (const [at, name, detail] of events) traces.turnEvents.record({ turn: TURN, at, name, detail });
}

const KEPT = [1_005, 'kept', { channel: 'slack', origin: 'message', ahead: 0, ms: 5 }] as const;
const ASKED = [
  KEPT,
  [1_100, 'claimed', { attempt: 1, waitedMs: 95 }],
  [1_200, 'routed', { agent: 'guide' }],
  [1_300, 'asking', { interface: 'open', session: false, images: 0 }],
] as const;

const spans = () => exporter.getFinishedSpans();
const span = (name: string) => spans().find((each) => each.name === name);

describe('with an SDK that uses traceIds', () => {
  beforeEach(() => register(traceIds));

  test('a turn that fails: its spans, their times, and the stable code as the status', () => {
    play(tracesOf(), [
      ...ASKED,
      [1_900, 'move', { family: 'update', essential: false, outcome: 'refused', why: 'rate', ms: 100 }],
      [2_000, 'trouble', { code: 'platform-timeout', cause: 'the platform said zwieback' }],
      [2_100, 'settled', { state: 'failed', ms: 1_100, chars: 0 }],
    ]);
    const times = spans().map((each) => [
      each.name,
      each.startTime[1] / 1e6 + each.startTime[0] * 1_000,
      each.endTime[1] / 1e6 + each.endTime[0] * 1_000,
      each.spanContext().traceId,
    ]);
    expect(times).toEqual([
      ['intake', 1_000, 1_005, TRACE],
      ['wait', 1_005, 1_100, TRACE],
      ['slack update', 1_800, 1_900, TRACE],
      ['invoke_agent guide', 1_300, 2_000, TRACE],
      ['turn', 1_000, 2_100, TRACE],
    ]);
    expect(span('turn')?.spanContext()).toMatchObject(idsOf(TURN));
    expect(span('slack update')?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'rate' });
    for (const name of ['turn', 'invoke_agent guide'])
      expect(span(name)?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'platform-timeout' });
    const written = spans().map(({ attributes, events, status }) => ({ attributes, events, status }));
    expect(JSON.stringify(written)).not.toContain('zwieback');
  });

  test('calls that show the growing answer are events, at most 5 s of them in a span', () => {
    const edit = (at: number, more: CoreEvent['detail'] = {}) =>
      [at, 'move', { family: 'edit', essential: false, outcome: 'done', ms: 10, ...more }] as const;
    play(tracesOf(), [
      ...ASKED,
      edit(2_000),
      edit(3_000),
      edit(4_000),
      edit(5_500, { ms: 1_000 }),
      edit(6_000, { outcome: 'refused', why: 'rate' }),
      edit(7_000),
      edit(8_500),
      edit(9_000, { essential: true }),
      [9_100, 'settled', { state: 'answered', ms: 1_100 }],
    ]);
    const times = (name: string) =>
      spans()
        .filter((each) => each.name === name)
        .map(({ startTime: [s, ns], events }) => [
          s * 1_000 + ns / 1e6,
          ...events.map((event) => event.time[0]),
        ]);
    expect(times('slack edit')).toEqual([[1_990], [4_500], [5_990], [8_990]]);
    expect(times('progress')).toEqual([
      [2_990, 3, 4, 7],
      [8_490, 8],
    ]);
    expect(span('progress')).toMatchObject({
      endTime: [7, 0],
      events: Array(3).fill({ name: 'slack edit', attributes: { 'parley.ms': 10 } }),
    });
  });

  test('the names of the GenAI conventions follow the stability switch', () => {
    const names = (isLatest: boolean) => {
      exporter.reset();
      play(tracesOf(isLatest), [...ASKED, [1_800, 'answering', {}], [2_000, 'ending', { chars: 5 }]]);
      return span('invoke_agent guide')?.attributes;
    };
    const shared = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'guide',
      'parley.outcome': 'done',
    };
    expect(names(false)).toEqual({ ...shared, 'gen_ai.system': 'agent_platform' });
    expect(names(true)).toEqual({ ...shared, 'gen_ai.provider.name': 'agent_platform' });
  });
});

test('an SDK with ids of its own: one trace, which the log names', () => {
  register(new RandomIdGenerator());
  const traces = tracesOf();
  play(traces, ASKED);
  const named = traces.idOf(TURN);
  play(traces, [[2_100, 'settled', { state: 'answered', ms: 1_100 }]]);
  expect(named).not.toBe(TRACE);
  expect(new Set(spans().map((each) => each.spanContext().traceId))).toEqual(new Set([named]));
  expect(span('turn')?.parentSpanContext).toBeUndefined();
  expect(span('intake')?.parentSpanContext?.spanId).toBe(span('turn')?.spanContext().spanId);
});

test.each([
  ['without an SDK', () => undefined],
  ['if the sampler leaves the turn out', () => register(traceIds, true)],
])('%s, there are no spans, and the log names no trace', (_, prepare) => {
  prepare();
  const traces = tracesOf();
  play(traces, ASKED);
  expect(traces.idOf(TURN)).toBeUndefined();
  play(traces, [[2_100, 'settled', { state: 'answered', ms: 1_100 }]]);
  expect(spans()).toEqual([]);
});
