import type { AgentEvent } from '../core/agents/agent.ts';
import type { Alarm } from './alarm.ts';
import { MAX_STREAM_BYTES } from './limits.ts';
import type { AnswerDecoder } from './stream/answer.ts';
import type { WireAnswer } from './transport.ts';

/** Bytes by which the transport's limit exceeds the decoder's limit, so that the decoder's limit is reached first. */
const SLACK = 1024 * 1024;

/**
 * Number of bytes to decode before other work may run: about 1,800 of the shortest stream events, which take about 10
 * ms.
 */
const STRETCH = 16 * 1024;

/**
 * Reads an answer up to its end marker or its last byte, and yields its events. Lets other work run after every 16
 * KiB, even if more bytes have arrived. Touches the alarm `idle` when data arrives; comments and heartbeats do not
 * count (platform contract DEC-6). Throws the error that ended the answer early.
 * @param pause called between two reads
 */
export async function* readAnswer(
  answer: WireAnswer,
  decoder: AnswerDecoder,
  idle: Alarm,
  pause: () => Promise<void> = async () => undefined,
): AsyncGenerator<AgentEvent, void, undefined> {
  try {
    let data = 0;
    let passed = 0;
    for await (const bytes of answer.bytes(MAX_STREAM_BYTES + SLACK)) {
      for (const piece of pieces(bytes)) {
        for (const event of joined(decoder.push(piece))) yield event;
        if (decoder.data !== data) idle.touch();
        data = decoder.data;
        if (decoder.ended) break;
        passed += piece.byteLength;
        if (passed < STRETCH) continue;
        passed = 0;
        await new Promise(setImmediate);
      }
      if (decoder.ended) break;
      await pause();
    }
    yield* decoder.finish();
    if (decoder.failure !== undefined) throw decoder.failure;
  } finally {
    idle.stop();
    answer.discard();
  }
}

/** Splits the bytes into pieces of at most `STRETCH` bytes. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.byteLength; at += STRETCH) yield bytes.subarray(at, at + STRETCH);
}

/** Joins text events that arrived together, because handling an event costs nearly the same for any length. */
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
