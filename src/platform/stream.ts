import type { AgentEvent } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import { startAlarm } from './alarm.ts';
import { MAX_STREAM_BYTES } from './limits.ts';
import type { AnswerDecoder } from './stream/answer.ts';
import type { WireAnswer } from './transport.ts';

/** Bytes of slack, so that the decoder's own limit is the one that is met. */
const OVERRUN = 1024 * 1024;

/** Bytes decoded without a break: about 1,800 of the shortest events, which take about 10 ms. */
const STRETCH = 16 * 1024;

/**
 * Reads an answer to its end or its end marker. After each stretch other work of the process runs first, however much
 * has arrived already. Calls `silent` when nothing but comments and heartbeats arrived for
 * `idleMs` (platform contract DEC-6); throws what broke the answer off.
 */
export async function* readAnswer(
  answer: WireAnswer,
  decoder: AnswerDecoder,
  watch: { readonly clock: Clock; readonly idleMs: number; readonly silent: (error: BridgeError) => void },
): AsyncGenerator<AgentEvent, void, undefined> {
  const idle = startAlarm(watch.clock, watch.idleMs, () => watch.silent(wentSilent(answer, watch.idleMs)));
  try {
    let data = 0;
    for await (const bytes of stretches(answer.bytes(MAX_STREAM_BYTES + OVERRUN))) {
      yield* joined(decoder.push(bytes));
      if (decoder.data !== data) idle.touch();
      data = decoder.data;
      if (decoder.ended) break;
    }
    yield* decoder.finish();
    if (decoder.failure !== undefined) throw decoder.failure;
  } finally {
    idle.stop();
    answer.discard();
  }
}

/** The same bytes in pieces of at most a stretch, with a turn of the event loop after each stretch. */
async function* stretches(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let passed = 0;
  for await (const bytes of source) {
    for (let at = 0; at < bytes.byteLength; at += STRETCH) {
      const piece = bytes.subarray(at, at + STRETCH);
      yield piece;
      passed += piece.byteLength;
      if (passed < STRETCH) continue;
      passed = 0;
      await new Promise(setImmediate);
    }
  }
}

/** Joins deltas that arrived together, because readers pay more for each event than for its length. */
function joined(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const list: AgentEvent[] = [];
  for (const event of events) {
    const last = list.at(-1);
    if (event.type === 'text' && last?.type === 'text' && event.at === last.at + last.text.length) {
      list[list.length - 1] = { ...last, text: last.text + event.text };
    } else list.push(event);
  }
  return list;
}

function wentSilent({ operation }: WireAnswer, ms: number): BridgeError {
  return new BridgeError('platform-idle', `The platform sent no data for ${ms} ms during ${operation}.`, {
    facts: { operation },
  });
}
