/** Tests the traces that a bridge exports to a collector, and what a turn notices of a collector that hangs: nothing. */

import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Collector, type ReceivedSpan, startCollector } from '../fakes/collector.ts';
import { eachWithBridge, eachWithHalfAgent } from './house/bridge-rig.ts';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

const agent = eachWithHalfAgent();
const bridge = eachWithBridge(async (folder) => ({
  ...(await agent.environmentIn(folder)),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  PARLEY_LOG_FORMAT: 'json',
  PARLEY_LOG_LEVEL: 'debug',
  OTEL_SEMCONV_STABILITY_OPT_IN: 'http,gen_ai_latest_experimental',
  OTEL_EXPORTER_OTLP_TIMEOUT: '300',
}));

const WORDS = 'Where is the zwieback of ada@example.com?';

/** The names of attributes in the semantic conventions of OpenTelemetry. */
const NAMES: ReadonlySet<unknown> = new Set(Object.values(conventions));

const until = (fits: (span: ReceivedSpan) => boolean): Promise<void> =>
  expect.poll(() => collector.spans.some(fits), { timeout: 30_000 }).toBe(true);
const named = (name: string) => collector.spans.filter((span) => span.name === name);

test('one trace goes on over kill -9 in the next process, without a word of what people wrote', async () => {
  const before = await bridge.start();
  const question = await before.say(`${agent.question()} ${WORDS}`);
  const growing = await before.replyTo(question, ({ text }) => text.length > 10);
  await until(({ name }) => name.startsWith('console '));
  await bridge.kill();
  const after = await bridge.start();
  const { reply } = await after.answer(question);
  expect(reply.state).toBe('partial');
  expect(agent.traceparents()).toEqual([undefined]);
  await until(({ name }) => name === 'turn');

  const { spans } = collector;
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([reply.turn.replaceAll('-', '')]));
  const [turn] = named('turn');
  expect(named('turn')).toHaveLength(1);
  expect(turn).toMatchObject({
    parentId: '',
    error: 'turn-interrupted',
    attributes: { 'messaging.system': 'console', 'parley.state': 'partial', 'parley.turn.id': reply.turn },
    resource: { 'service.name': 'parley', 'deployment.environment.name': 'test' },
  });
  for (const name of ['intake', 'wait']) expect(named(name)).toHaveLength(1);
  const others = spans.filter(({ name }) => name !== 'turn');
  expect(new Set(others.map(({ parentId }) => parentId))).toEqual(new Set([turn?.spanId]));
  expect(new Set(spans.map(({ resource }) => resource['process.pid'])).size).toBe(2);

  const lines = bridge.output().split('\n');
  const settled = lines.find((line) => line.includes('"event":"settled"')) ?? '{}';
  expect(JSON.parse(settled)).toMatchObject({ turn: reply.turn, trace_id: turn?.traceId });
  const sent = collector.bytes().toString();
  const answered = growing.reply.text.split(' ').filter((word) => word.length > 5);
  expect(answered.length).toBeGreaterThan(0);
  for (const secret of ['zwieback', 'ada@', 'a-key-of-the-test', ...answered.slice(0, 3)])
    expect(sent).not.toContain(secret);
});

test('an answer has spans for asking and for the request, and the platform gets the trace if it shall', async () => {
  await agent.environmentIn(bridge.folder, 'traceparent: true');
  const shown = await bridge.start();
  const second = await shown.say(agent.question());
  agent.release();
  const { reply } = await shown.answer(second);
  expect(await bridge.terminate()).toBe(0);

  const [turn, asking, request] = [
    'turn',
    'invoke_agent half',
    'POST /webapi/lite_api/v2/api/chat-with-bot/chat',
  ].map((name) => named(name)[0]);
  expect(turn).toMatchObject({ error: undefined, attributes: { 'parley.state': 'answered' } });
  expect(Object.fromEntries(collector.spans.map(({ name, kind }) => [name, kind]))).toMatchObject({
    turn: 'SPAN_KIND_CONSUMER',
    intake: 'SPAN_KIND_INTERNAL',
    'invoke_agent half': 'SPAN_KIND_CLIENT',
    'console post': 'SPAN_KIND_CLIENT',
  });
  for (const span of collector.spans) {
    expect(turn?.from).toBeLessThanOrEqual(span.from);
    expect(span.from).toBeLessThanOrEqual(span.until);
    for (const name of Object.keys({ ...span.attributes, ...span.resource }))
      expect(NAMES.has(name) || name.startsWith('parley.'), name).toBe(true);
  }
  expect(asking).toMatchObject({
    parentId: turn?.spanId,
    events: ['first text'],
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'half',
      'gen_ai.provider.name': 'agent_platform',
    },
  });
  expect(request).toMatchObject({
    parentId: asking?.spanId,
    attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 },
  });
  expect(agent.traceparents().at(-1)).toBe(`00-${reply.turn.replaceAll('-', '')}-${request?.spanId}-01`);
});

test('a collector that never answers delays no answer, is told once, and delays the end by at most 3 s', async () => {
  collector.hangs = true;
  const client = await bridge.start();
  for (let nth = 0; nth < 3; nth += 1) {
    const question = await client.say(agent.question());
    agent.release();
    expect((await client.answer(question)).reply.state).toBe('done');
  }
  const told = () => bridge.output().match(/Traces do not reach the collector/g)?.length;
  await expect.poll(told, { timeout: 20_000 }).toBe(1);
  expect(await bridge.terminate()).toBe(0);
  expect(told()).toBe(1);
});
