/** The gateway of an agent that answers without a platform: a function of the embedder, or a client of a language model. */

import type { AgentEvent, AgentGateway, AskingGuard, ImageFile, Question } from '../core/agents/agent.ts';
import { type Clock, openWait, orAborted } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import { oneLine, startAlarm, TextEmitter } from '../platform/index.ts';

/** Yields the answer: pieces of its text, where a blank one only shows that the agent is alive, and other events. */
type Answering = (
  question: Question,
  signal: AbortSignal,
  guard: AskingGuard,
) => AsyncIterable<string | AgentEvent>;

/** Maximum time between two parts of an answer, in milliseconds (faults F03, F04). */
const SILENCE_MS = 120_000;
const REASON_CHARS = 300;

/**
 * @param name the agent's name, for errors
 * @param answer must call `claimQuestion` before it asks anything
 */
export function gatewayOf(
  name: string,
  { clock }: { readonly clock: Clock },
  answer: Answering,
): Omit<AgentGateway, 'sees' | 'memory'> {
  return {
    takesLanguage: true,
    ask: (question, signal, guard) => receive(name, clock, (own) => answer(question, own, guard), signal),
    sources: async ({ known }) => known,
    // The address holds the whole image, so that no image stays in memory if the question is not asked in the end.
    uploadImages: async (images) => images.map(dataAddress),
    openMedia: async () => {
      throw new BridgeError('media-unavailable', `The agent "${name}" has no images.`);
    },
    check: async () => [],
  };
}

/** Waits until the question may be asked. Call it again before each repetition. */
export async function claimQuestion(guard: AskingGuard): Promise<void> {
  do await guard.ready();
  while (!guard.maySend());
}

const dataAddress = ({ type, bytes }: ImageFile): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** Ends when the answer ends, is too long, stays silent or is stopped, whatever the code behind it does then. */
async function* receive(
  name: string,
  clock: Clock,
  begin: (signal: AbortSignal) => AsyncIterable<string | AgentEvent>,
  outer: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  const run = openWait(outer);
  const alarm = startAlarm(clock, SILENCE_MS, () => run.end(silent(name)));
  const emitter = new TextEmitter();
  let at = 0;
  let parts: AsyncIterator<string | AgentEvent> | undefined;
  try {
    parts = begin(run.signal)[Symbol.asyncIterator]();
    while (!emitter.cut) {
      const { done, value } = await orAborted(parts.next(), run.signal);
      if (done) break;
      alarm.touch();
      if (typeof value !== 'string') yield value;
      else {
        for (const event of emitter.emit({ at, text: value })) yield event;
        at += value.length;
      }
    }
    for (const event of emitter.end()) yield event;
    if (emitter.cut) yield { type: 'remark', remark: 'answer-cut' };
    yield { type: 'end' };
  } catch (thrown) {
    outer.throwIfAborted();
    throw thrown instanceof BridgeError ? thrown : failed(name, thrown);
  } finally {
    alarm.stop();
    run.end();
    // Not awaited, because code that hangs would never settle it.
    parts?.return?.().catch(() => undefined);
  }
}

const silent = (name: string): BridgeError =>
  new BridgeError(
    'platform-idle',
    `The agent "${name}" sent nothing for ${SILENCE_MS / 1000} s. If it works that long, let it yield a step meanwhile.`,
  );

function failed(name: string, cause: unknown): BridgeError {
  const reason = oneLine(cause instanceof Error ? cause.message : String(cause), REASON_CHARS);
  const cure = 'Correct its function.';
  return new BridgeError(
    'agent-failed',
    `The agent "${name}" failed: ${reason.replace(/\.$/, '')}. ${cure}`,
    {
      cause,
    },
  );
}
