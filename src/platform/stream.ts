import type { AgentEvent } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import { startAlarm } from './alarm.ts';
import { MAX_STREAM_BYTES } from './limits.ts';
import type { AnswerDecoder } from './stream/answer.ts';
import type { WireAnswer } from './transport.ts';

/** Bytes of slack, so that the decoder's own limit is the one that is met. */
const OVERRUN = 1024 * 1024;

/**
 * Reads an answer to its end or its end marker. Calls `silent` when nothing but comments and heartbeats arrived for
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
    for await (const bytes of answer.bytes(MAX_STREAM_BYTES + OVERRUN)) {
      yield* decoder.push(bytes);
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

function wentSilent({ operation }: WireAnswer, ms: number): BridgeError {
  return new BridgeError('platform-idle', `The platform sent no data for ${ms} ms during ${operation}.`, {
    facts: { operation },
  });
}
