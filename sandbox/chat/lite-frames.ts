import type { Piece } from '../agents/agent.ts';
import { toolResult } from '../dialect/details.ts';
import { streamError } from '../dialect/error.ts';
import type { Dialect } from '../dialect/names.ts';
import type { Frame } from '../dialect/stream.ts';
import { textPayload } from '../dialect/text.ts';
import { Cut, liteEnvelope, Refusal } from '../http/reply.ts';

export interface LiteAnswer {
  readonly pieces: AsyncIterable<Piece>;
  /** Given back in token chat only. */
  readonly conversation: string | undefined;
  readonly showToolResult: boolean;
  readonly dialect: Dialect;
}

/** The answer as events `stream`, `tool_result` and `end` (platform contract CHL-17). */
export async function* liteFrames(answer: LiteAnswer): AsyncIterable<Frame> {
  let whole = '';
  try {
    for await (const piece of answer.pieces) {
      if (piece.type === 'sources' && answer.showToolResult && piece.sources.length > 0) {
        const data = { tool_result: toolResult(piece.sources, answer.dialect.media) };
        yield { kind: 'tool_result', event: 'tool_result', data, text: '' };
      }
      if (piece.type !== 'text') continue;
      whole += piece.text;
      yield {
        kind: 'stream',
        event: 'stream',
        data: chunk(piece.text, whole, answer.dialect),
        text: piece.text,
      };
    }
  } catch (error) {
    if (error instanceof Cut || !(error instanceof Refusal)) throw error;
    yield { kind: 'error', text: '', ...named(streamError('lite', error.message, answer.dialect.error)) };
    return;
  }
  const end = liteEnd(whole, answer);
  if (end !== undefined) yield { kind: 'end', event: 'end', data: end, text: '' };
}

const named = (error: { event?: string; data: unknown }) => ({ event: error.event, data: error.data });

function chunk(delta: string, whole: string, dialect: Dialect): unknown {
  const payload = textPayload({ delta, whole }, dialect.text);
  return payload.place === 'chunk' ? payload.value : payload.members;
}

/** Words that only the end event of the dialect `tail` carries. */
const TAIL = '\n\n(end)';

/** The data of the end event, or nothing when the dialect ends without one (platform contract DEC-12, DEC-14). */
function liteEnd(text: string, answer: LiteAnswer): unknown {
  const ids = conversationIds(answer.conversation, answer.dialect);
  switch (answer.dialect.end) {
    case 'none':
      return undefined;
    case 'other-name':
      return liteEnvelope({ answer: text, ...ids });
    case 'tail':
      return liteEnvelope({ content: TAIL, ...ids });
    case 'no-text':
      return liteEnvelope({ ...ids });
    case 'done-true':
      return { ...liteEnvelope({ full_output: text, ...ids }), done: true };
    case 'finish-reason':
      return { ...liteEnvelope({ full_output: text, ...ids }), finish_reason: 'stop' };
    default:
      return liteEnvelope({ full_output: text, ...ids });
  }
}

export function conversationIds(conversation: string | undefined, dialect: Dialect): Record<string, string> {
  if (conversation === undefined) return {};
  return dialect.end === 'other-ids' ? { conversationId: conversation } : { conversation_id: conversation };
}
