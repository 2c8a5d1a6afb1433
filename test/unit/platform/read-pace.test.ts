import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/core/agents/agent.ts';
import { startAlarm } from '../../../src/platform/alarm.ts';
import { ReadPace } from '../../../src/platform/stream/read-pace.ts';
import { readAnswer } from '../../../src/platform/stream.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { bytesOf, decoderOf, fold } from './decode.ts';

const PIECE_EVERY_MS = 200;
const PIECES = 50;

/** Reads an answer of 50 pieces, one every 200 ms, while `others` further answers run. */
async function readBeside(others: number) {
  const clock = createVirtualClock();
  const reads = new ReadPace(clock);
  for (let other = 0; other <= others; other += 1) reads.begin();
  const began = clock.now();
  let taken = 0;
  const bytes = async function* () {
    while (taken < PIECES) {
      const arrived = Math.min(PIECES, 1 + Math.floor((clock.now() - began) / PIECE_EVERY_MS));
      if (arrived > taken) {
        yield bytesOf('data: {"content":"the "}\n\n'.repeat(arrived - taken));
        taken = arrived;
      } else await clock.wait(PIECE_EVERY_MS);
    }
    yield bytesOf('data: [DONE]\n\n');
  };
  const answer = { operation: 'ask', status: 200, headers: {}, bytes, discard: () => undefined };
  const decoder = decoderOf('text/event-stream');
  const stop = new AbortController();
  const idle = startAlarm(clock, 60_000, () => undefined);
  const events: AgentEvent[] = [];
  const read = async () => {
    for await (const event of readAnswer(answer, decoder, idle, () => reads.pause(stop.signal)))
      events.push(event);
  };
  return { clock, reads, stop, events, done: read() };
}

describe('the pace of reads', () => {
  it.each([
    [1, 0],
    [400, 0],
    [1_000, 500],
    [2_000, 1_000],
    [10_000, 1_000],
  ])('with %i answers, an answer pauses %i ms', (answers, pauseMs) => {
    const reads = new ReadPace(createVirtualClock());
    for (let nth = 0; nth < answers; nth += 1) reads.begin();
    expect(reads.pauseMs).toBe(pauseMs);
    reads.end();
    expect(reads.pauseMs).toBeLessThanOrEqual(pauseMs);
  });

  it('joins the pieces of a pause and loses none of them', async () => {
    const { clock, events, done } = await readBeside(1_999);
    await clock.pass(PIECES * PIECE_EVERY_MS + 2_000);
    await done;
    expect(fold(events).text).toBe('the '.repeat(PIECES));
    expect(events.filter(({ type }) => type === 'text').length).toBeLessThanOrEqual(PIECES / 4);
  });

  it('passes each piece on at once while few answers run', async () => {
    const { clock, events, done } = await readBeside(10);
    await clock.pass(PIECE_EVERY_MS * 4.5);
    expect(fold(events).text).toBe('the '.repeat(5));
    await clock.pass(PIECES * PIECE_EVERY_MS);
    await done;
  });

  it('ends a pause at once when the question is stopped', async () => {
    const { clock, stop, done } = await readBeside(1_999);
    await clock.pass(100);
    stop.abort(new Error('stopped'));
    await expect(done).rejects.toThrow('stopped');
    expect(clock.waiting).toBe(0);
  });
});
