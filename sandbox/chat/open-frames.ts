import type { Media, Piece, Thought } from '../agents/agent.ts';
import { streamError } from '../dialect/error.ts';
import type { Dialect } from '../dialect/names.ts';
import type { Frame } from '../dialect/stream.ts';
import { textPayload } from '../dialect/text.ts';
import { openEnvelope, Refusal } from '../http/reply.ts';
import type { TurnIds } from './turn.ts';

export interface OpenAnswer {
  readonly pieces: AsyncIterable<Piece>;
  readonly ids: TurnIds;
  readonly wantsThoughts: boolean;
  readonly mediaOnLastChunk: boolean;
  readonly dialect: Dialect;
}

interface ChunkParts {
  readonly content?: string;
  readonly medias?: readonly Media[];
  readonly suggestionQuestions?: readonly string[];
  readonly thoughts?: readonly Thought[];
  readonly finish_reason?: string;
}

const SNAPSHOTS = ['snapshot', 'rewritten', 'full_output'];

/** The answer in chunks: thoughts, text, media, the last one with `stop` (platform contract EXP-14, EXP-15). */
export async function* openFrames(answer: OpenAnswer): AsyncIterable<Frame> {
  let whole = '';
  let medias: readonly Media[] = [];
  let questions: readonly string[] = [];
  try {
    for await (const piece of answer.pieces) {
      if (piece.type === 'thought' && answer.wantsThoughts)
        yield chunk(answer, { thoughts: [piece.thought] });
      if (piece.type === 'media') medias = piece.medias;
      if (piece.type === 'suggestions') questions = piece.questions;
      if (piece.type !== 'text') continue;
      whole += piece.text;
      yield textChunk(answer, piece.text, whole);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { event, data } = streamError('open', error.message, answer.dialect.error);
    yield { kind: 'error', event, data, text: '' };
    return;
  }
  if (medias.length > 0 && !answer.mediaOnLastChunk) yield chunk(answer, { medias });
  if (answer.dialect.end === 'none') return;
  const content = SNAPSHOTS.includes(answer.dialect.text) ? whole : '';
  const last = { content, suggestionQuestions: questions, finish_reason: 'stop' };
  const frame = chunk(answer, answer.mediaOnLastChunk ? { ...last, medias } : last);
  yield { ...frame, kind: 'end' };
}

/** One chunk with every documented member. */
function chunk(answer: OpenAnswer, parts: ChunkParts): Frame {
  return { kind: 'stream', event: undefined, data: openEnvelope(record(answer, parts)), text: '' };
}

function record(answer: OpenAnswer, parts: ChunkParts): Record<string, unknown> {
  return {
    ...ids(answer),
    content: '',
    medias: [],
    suggestionQuestions: [],
    thoughts: [],
    finish_reason: null,
    ...parts,
  };
}

function ids(answer: OpenAnswer): Record<string, unknown> {
  const { record: chatRecordId, session } = answer.ids;
  return answer.dialect.end === 'other-ids'
    ? { chat_record_id: chatRecordId, session_id: session }
    : { chatRecordId, sessionId: session };
}

function textChunk(answer: OpenAnswer, delta: string, whole: string): Frame {
  const payload = textPayload({ delta, whole }, answer.dialect.text);
  const { content: _content, ...bare } = record(answer, {});
  const base = { kind: 'stream', event: undefined, text: delta } as const;
  if (payload.place === 'chunk') return { ...base, data: payload.value };
  if (payload.place === 'member') return { ...base, data: openEnvelope({ ...bare, ...payload.members }) };
  return { ...base, data: { success: true, msg: '', ...bare, ...payload.members } };
}

/** The whole answer as one record, for callers that asked for no stream (platform contract EXP-8 to EXP-13). */
export async function openRecord(answer: OpenAnswer): Promise<Record<string, unknown>> {
  let content = '';
  let medias: readonly Media[] = [];
  let suggestionQuestions: readonly string[] = [];
  const thoughts: Thought[] = [];
  for await (const piece of answer.pieces) {
    if (piece.type === 'text') content += piece.text;
    if (piece.type === 'media') medias = piece.medias;
    if (piece.type === 'suggestions') suggestionQuestions = piece.questions;
    if (piece.type === 'thought' && answer.wantsThoughts) thoughts.push(piece.thought);
  }
  return record(answer, { content, medias, suggestionQuestions, thoughts, finish_reason: 'stop' });
}
