import { z } from 'zod';
import { type AgentRequest, type Media, type Piece, plainQuestion } from '../agents/agent.ts';
import { streamError } from '../dialect/error.ts';
import type { Dialect } from '../dialect/names.ts';
import type { Frame } from '../dialect/stream.ts';
import { textPayload } from '../dialect/text.ts';
import type { SandboxAccount } from '../fixtures.ts';
import { asFields, type Fields } from '../http/json.ts';
import { type Call, noBody, operations, param, type Route } from '../http/operation.ts';
import { declined, jsonReply, known, openEnvelope, openReply, Refusal, type Reply } from '../http/reply.ts';
import { exact, flag, requiredText, text, withFallback } from '../http/schema.ts';
import { timeOf } from '../store/ids.ts';
import {
  type ChatDeps,
  gathered,
  openSession,
  published,
  referenceList,
  startTurn,
  streamReply,
  type TurnIds,
} from './turn.ts';

const question = exact({
  expertCode: requiredText,
  content: requiredText,
  stream: flag(false),
  includeThought: flag(false),
  language: withFallback(exact({ chatLanguage: text, systemLanguage: text }, 'must be an object'), {
    chatLanguage: undefined,
    systemLanguage: undefined,
  }),
  sessionId: z
    .union([z.string(), z.int().transform(String)], 'must be a string or null')
    .nullish()
    .transform((id) => id ?? undefined),
});

/** Routes of expert chat and of an answer's references (platform contract, sections 8 and 9). */
export function openChatRoutes(deps: ChatDeps): readonly Route[] {
  const open = operations('open', deps.gatekeeper.openAccount);
  return [
    open('askExpert', 'POST /openapi/chat/expert', question, ({ call, caller, body }) =>
      answer(deps, call, caller, body),
    ),
    open('references', 'GET /openapi/chat/record/{chatRecordId}/reference', noBody, ({ call, caller }) => {
      const id = param(call, 'chatRecordId');
      const found = deps.sessions.sources(id);
      if (found === undefined || found.account !== caller.id)
        throw declined(`The chat record ${id} is unknown.`);
      if (deps.clock.now() - timeOf(id) < deps.options.referencesDelayMs) return openReply([]);
      return openReply(referenceList(found.sources, call.base));
    }),
  ];
}

async function answer(
  deps: ChatDeps,
  call: Call,
  account: SandboxAccount,
  wanted: z.output<typeof question>,
): Promise<Reply> {
  const { content, stream, includeThought: wantsThoughts, sessionId: id } = wanted;
  const { expertCode, language } = wanted;
  const { chatLanguage = '', systemLanguage = 'en-US' } = language;
  const agent = published(known(deps.directory.withCode(expertCode), `expert ${expertCode}`), declined);
  const session = openSession(deps, { id, kind: 'open', agent, account, route: 'askExpert' });
  const asking: AgentRequest = {
    ...plainQuestion,
    agent,
    account,
    question: content,
    history: deps.sessions.turns(session.id),
    chatLanguage,
    // A given `chatLanguage` also applies to the names of plugins (platform contract EXP-7: languages).
    systemLanguage: chatLanguage || systemLanguage,
    base: call.base,
    signal: call.signal,
  };
  const started = await startTurn(deps, agent, asking, session.id);
  const { mediaOnLastChunk } = deps.options;
  const dialect = { ...deps.options.dialect };
  const open = { ...started, wantsThoughts, mediaOnLastChunk, dialect };
  if (!stream || dialect.stream === 'json') return jsonReply(openEnvelope(await openRecord(open)));
  return streamReply(openFrames(open), dialect.stream, deps.clock, call.signal);
}

interface OpenAnswer {
  readonly pieces: AsyncIterable<Piece>;
  readonly ids: TurnIds;
  readonly wantsThoughts: boolean;
  readonly mediaOnLastChunk: boolean;
  readonly dialect: Dialect;
}

const SNAPSHOTS = ['snapshot', 'rewritten', 'full_output'];

/**
 * Sends the answer in separate chunks: thoughts, text, media, and a last chunk with `stop` (platform contract EXP-14,
 * EXP-15: chunks of a stream).
 */
async function* openFrames(answer: OpenAnswer): AsyncIterable<Frame> {
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
    yield { kind: 'error', text: '', ...streamError('open', error.message, answer.dialect.error) };
    return;
  }
  if (medias.length > 0 && !answer.mediaOnLastChunk) yield chunk(answer, { medias });
  if (answer.dialect.end === 'none') return;
  const content = SNAPSHOTS.includes(answer.dialect.text) ? whole : '';
  const last = { content, suggestionQuestions: questions, finish_reason: 'stop' };
  const frame = chunk(answer, answer.mediaOnLastChunk ? { ...last, medias } : last);
  yield { ...frame, kind: 'end' };
}

/** Makes a chunk that has every documented field. */
function chunk(answer: OpenAnswer, given: Fields): Frame {
  return { kind: 'stream', event: undefined, data: openEnvelope(record(answer, given)), text: '' };
}

const record = (answer: OpenAnswer, given: Fields) => ({
  ...ids(answer),
  content: '',
  medias: [],
  suggestionQuestions: [],
  thoughts: [],
  finish_reason: null,
  ...given,
});

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
  if (payload.place === 'member')
    return { ...base, data: openEnvelope({ ...bare, ...asFields(payload.value) }) };
  return { ...base, data: { success: true, msg: '', ...bare, ...asFields(payload.value) } };
}

/**
 * Returns the complete answer as one record, for a request without a stream (platform contract EXP-8 to EXP-13: fields
 * of a response).
 */
async function openRecord(answer: OpenAnswer) {
  const { sources: _, thoughts, ...rest } = await gathered(answer.pieces);
  return record(answer, { ...rest, thoughts: answer.wantsThoughts ? thoughts : [], finish_reason: 'stop' });
}
