/** The events of a scripted answer. */

import { setTimeout as pause } from 'node:timers/promises';
import { answerOf, type Saying } from './saying.ts';

/** Speed of an answer that is held back: pieces of 8 characters, 250 ms apart. */
const SIP = { chars: 8, everyMs: 250 };
/** Time for the bytes of an answer to leave the process, in milliseconds. */
const FLUSH_MS = 50;

/** One question as the platform received it. */
export interface Asking {
  readonly id: string;
  readonly at: number;
  /** The complete text of the request. */
  readonly request: string;
  /** The request's header `traceparent`. */
  readonly traceparent?: string;
  /** Characters of the answer sent so far. */
  sent: number;
  /** Time at which the first character was sent. */
  firstAt?: number;
  /**
   * Pauses between words that lasted longer than planned, for example on a busy machine. `at`: end of the pause.
   * `ms`: the excess in milliseconds.
   */
  readonly lates: { readonly at: number; readonly ms: number }[];
  /** Time at which the answer was complete, was broken off, or was cancelled by the bridge. */
  endedAt?: number;
  /**
   * Code of the fault with which the platform refused the request. Set only if the test planted the fault in the
   * platform; absent if the question itself asked for the fault.
   */
  fault?: string;
  end?: 'whole' | 'broken' | 'cancelled';
}

export interface AnswerStream {
  /** The session that each event names; empty if the platform keeps no session. */
  readonly session: string;
  readonly saying: Saying | undefined;
  readonly asking: Asking;
  readonly released: ReadonlySet<string>;
  /** Aborts when the bridge disconnects. */
  readonly signal: AbortSignal;
  /** True for the first request for this answer. */
  readonly isFirst: boolean;
}

export function end(asking: Asking, how: NonNullable<Asking['end']>): void {
  if (asking.end !== undefined) return;
  asking.end = how;
  asking.endedAt = Date.now();
}

/** Yields one event per chunk. Throws where the scripted answer breaks off. */
export async function* eventsOf(stream: AnswerStream): AsyncIterable<Uint8Array> {
  const { saying, asking, signal, isFirst } = stream;
  try {
    if (saying?.silentMs !== undefined && isFirst)
      await pause(saying.silentMs, undefined, { signal }).catch(() => undefined);
    if (saying !== undefined) yield* wordsOfAnswer(saying, stream);
    // The bytes need time to leave the process. If the connection ended at once, the answer would break off too
    // early.
    if (saying?.cutAt !== undefined) await pause(FLUSH_MS);
    if (saying?.cutAt !== undefined) throw new Error('The answer breaks off.');
    end(asking, asking.sent > 0 ? 'whole' : 'broken');
    yield Buffer.from('data: [DONE]\n\n');
  } finally {
    end(asking, signal.aborted ? 'cancelled' : 'broken');
  }
}

async function* wordsOfAnswer(
  saying: Saying,
  { asking, released, signal, session }: AnswerStream,
): AsyncIterable<Uint8Array> {
  const whole = answerOf(saying);
  const named = session === '' ? {} : { sessionId: session };
  const text = saying.cutAt === undefined ? whole : whole.slice(0, saying.cutAt);
  const size = Math.ceil(whole.length / Math.max(1, Math.round(saying.ms / saying.everyMs)));
  if (saying.source === true) yield Buffer.from(`event: tool_result\ndata: ${JSON.stringify(RESULT)}\n\n`);
  while (asking.sent < text.length && !signal.aborted) {
    const isHeld = saying.held === true && asking.sent * 2 >= text.length && !released.has(saying.id);
    const rest = text.slice(asking.sent);
    const content = isHeld ? rest.slice(0, -1).slice(0, SIP.chars) : rest.slice(0, size);
    asking.firstAt ??= Date.now();
    asking.sent += content.length;
    if (content !== '')
      yield Buffer.from(`data: ${JSON.stringify({ ...named, choices: [{ delta: { content } }] })}\n\n`);
    if (asking.sent < text.length) await breathe(isHeld ? SIP.everyMs : saying.everyMs, asking);
  }
}

async function breathe(ms: number, { lates }: Asking): Promise<void> {
  const since = Date.now();
  await pause(ms);
  const at = Date.now();
  if (at - since > ms) lates.push({ at, ms: at - since - ms });
}

/** A passage of a document in a tool result. */
const RESULT = {
  tool_result: [
    {
      category: 'tool',
      document_id: '1795229730174000000',
      title: 'Handbook',
      content: 'Years.',
      score: 0.7,
    },
  ],
};
