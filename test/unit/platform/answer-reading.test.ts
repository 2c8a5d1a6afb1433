import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/core/agents/agent.ts';
import { startAlarm } from '../../../src/platform/alarm.ts';
import { MAX_ANSWER_CHARS } from '../../../src/platform/limits.ts';
import { readAnswer } from '../../../src/platform/stream.ts';
import type { WireAnswer } from '../../../src/platform/transport.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { bytesOf, decoderOf, fold } from './decode.ts';

const KIB = 1024;
/** Maximum bytes that one read from a socket returns. */
const READ = 64 * KIB;

/** Returns a response whose bytes have all arrived before the first read. */
function arrived(body: string): WireAnswer & { readonly discarded: () => boolean } {
  const bytes = bytesOf(body);
  let discarded = false;
  return {
    operation: 'askExpert',
    status: 200,
    headers: {},
    async *bytes() {
      for (let at = 0; at < bytes.byteLength; at += READ) yield bytes.subarray(at, at + READ);
    },
    discard: () => {
      discarded = true;
    },
    discarded: () => discarded,
  };
}

const SSE = 'text/event-stream';
const eventsOf = (text: string, count: number): string => `data: {"content":"${text}"}\n\n`.repeat(count);

async function read(body: string) {
  const clock = createVirtualClock();
  const answer = arrived(body);
  const idle = startAlarm(clock, 60_000, () => undefined);
  let rounds = 0;
  let counting = true;
  const count = (): void => {
    rounds += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const events: AgentEvent[] = [];
  const before = process.threadCpuUsage();
  for await (const event of readAnswer(answer, decoderOf(SSE), idle)) events.push(event);
  const { user, system } = process.threadCpuUsage(before);
  counting = false;
  return { events, rounds, clock, answer, cpuMs: (user + system) / 1000, ...fold(events) };
}

describe('an answer that arrives all at once', () => {
  it('takes CPU time in proportion to its length, even if all its chunks are equal', async () => {
    const flood = await read(eventsOf('the ', 40_000));
    expect(flood.text).toBe('the '.repeat(40_000));
    // The decoder takes 0.2 s on a slow machine. If it compared every chunk with the whole text, it would take 10 s.
    expect(flood.cpuMs).toBeLessThan(2_000);
  });

  it('lets other work run after every 16 KiB, although all bytes have arrived', async () => {
    const body = eventsOf('a', 300_000);
    const flood = await read(body);
    expect(flood.text).toHaveLength(MAX_ANSWER_CHARS);
    const read16 = Math.floor((MAX_ANSWER_CHARS * (body.length / 300_000)) / (16 * KIB));
    expect(flood.rounds).toBeGreaterThanOrEqual(read16);
  });

  it('joins text events that arrived together and keeps the order of other events', async () => {
    const step = 'data: {"data":{"thoughts":[{"thought":"look","pluginName":"search"}],"content":"c"}}\n\n';
    const { events, text } = await read(`${eventsOf('ab', 3)}${step}${eventsOf('d', 2)}data: [DONE]\n\n`);
    expect(events.map(({ type }) => type)).toEqual(['text', 'step', 'text', 'end']);
    expect(text).toBe('abababcdd');
  });
});

describe('resources after reading an answer', () => {
  it.each([
    ['its end marker', `${eventsOf('a', 2)}data: [DONE]\n\n`],
    ['its last byte', eventsOf('a', 2)],
    ['a refusal', 'data: {"success":false,"msg":"asleep"}\n\n'],
  ])('leave no timer and no open connection after %s', async (_name, body) => {
    const clock = createVirtualClock();
    const answer = arrived(body);
    const idle = startAlarm(clock, 60_000, () => undefined);
    const reading = async () => {
      for await (const _event of readAnswer(answer, decoderOf(SSE), idle));
    };
    await reading().catch(() => undefined);
    expect([clock.waiting, answer.discarded()]).toEqual([0, true]);
  });

  it('leave no timer and no open connection when the reader stops', async () => {
    const clock = createVirtualClock();
    const answer = arrived(eventsOf('a', 100_000));
    const idle = startAlarm(clock, 60_000, () => undefined);
    for await (const event of readAnswer(answer, decoderOf(SSE), idle)) if (event.type === 'text') break;
    expect([clock.waiting, answer.discarded()]).toEqual([0, true]);
  });
});
