import type { AgentEvent } from '../../../src/core/agents/agent.ts';
import { BridgeError } from '../../../src/errors.ts';
import { parseBase } from '../../../src/platform/base-url.ts';
import { AUTH_PATTERN, failureOf } from '../../../src/platform/failure.ts';
import { answerHooks } from '../../../src/platform/gateways/hooks.ts';
import { AnswerDecoder } from '../../../src/platform/stream/answer.ts';

export interface Decoded {
  readonly text: string;
  readonly session: string | undefined;
  readonly chatRecord: string | undefined;
  readonly fails: string | undefined;
  readonly remarks: readonly string[];
  readonly ended: boolean;
}

/** Returns a decoder whose refusals are errors, as in a gateway. */
export function decoderOf(type: string | undefined): AnswerDecoder {
  const refused = (refusal: { text: string; code?: number }): BridgeError =>
    failureOf({ operation: 'askExpert', status: 200, refusal, secrets: [], authPattern: AUTH_PATTERN });
  return new AnswerDecoder(
    type,
    answerHooks(parseBase('http://127.0.0.1', false), refused, () => undefined),
  );
}

/** Decodes the pieces of one answer, and combines the events into a text as the core does. */
export function decode(type: string | undefined, pieces: Iterable<Uint8Array>): Decoded {
  const decoder = decoderOf(type);
  const events: AgentEvent[] = [];
  for (const piece of pieces) {
    events.push(...decoder.push(piece));
    if (decoder.ended) break;
  }
  events.push(...decoder.finish());
  return { ...fold(events), fails: codeOf(decoder.failure) };
}

export function codeOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof BridgeError ? error.code : String(error);
}

export function fold(events: readonly AgentEvent[]): Omit<Decoded, 'fails'> {
  let text = '';
  let session: string | undefined;
  let chatRecord: string | undefined;
  const remarks: string[] = [];
  for (const event of events) {
    if (event.type === 'text') text = text.slice(0, event.at) + event.text;
    if (event.type === 'session') session = event.session;
    if (event.type === 'record') chatRecord = event.chatRecord;
    if (event.type === 'remark') remarks.push(event.remark);
  }
  return { text, session, chatRecord, remarks, ended: events.at(-1)?.type === 'end' };
}

export const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;
