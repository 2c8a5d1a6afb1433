import { type AgentRequest, type Piece, plainQuestion } from '../agents/agent.ts';
import type { ListedAgent } from '../agents/directory.ts';
import { streamError } from '../dialect/error.ts';
import { shaped, TOOLS } from '../dialect/media.ts';
import type { Dialect } from '../dialect/names.ts';
import type { Frame } from '../dialect/stream.ts';
import { textPayload } from '../dialect/text.ts';
import { sandboxCatalogue } from '../fixtures.ts';
import { asFields } from '../http/json.ts';
import { type Call, noBody, operations, param, type Route } from '../http/operation.ts';
import { invalid, jsonReply, known, liteEnvelope, Refusal, type Reply } from '../http/reply.ts';
import { invalidBy, parse } from '../http/schema.ts';
import { chatBody, type LiteRequest } from './lite-request.ts';
import { type ChatDeps, gathered, openSession, published, startTurn, streamReply } from './turn.ts';

/** Chat routes of the lite interface, by API key and by agent id (platform contract CHL-1 to CHL-17: chat). */
export function liteChatRoutes(deps: ChatDeps): readonly Route[] {
  const { directory, gatekeeper, images, sessions } = deps;
  const byKey = operations('lite', (call) => published(gatekeeper.agentOfKey(call)));
  const byToken = operations('lite', gatekeeper.liteAccount);
  const path = '/webapi/lite_api/v2/api/chat-with-bot';
  return [
    byKey('chatByKey', `POST ${path}/chat`, chatBody('key', images), ({ body, call, caller: agent }) => {
      const { keyAccount: account } = sandboxCatalogue;
      return answer(deps, call, { agent, account, request: body });
    }),
    byToken('chatByToken', `POST ${path}/{agent_id}`, noBody, async ({ call, caller: account }) => {
      const id = param(call, 'agent_id');
      const agent = published(known(directory.withUuid(id), `agent ${id}`, invalid));
      const request = parse(chatBody('token', images), await call.fields(), invalidBy);
      const wish = { id: request.conversation, kind: 'lite', agent, account, route: 'chatByToken' } as const;
      const { id: conversation } = openSession(deps, wish);
      const history = sessions.turns(conversation);
      return await answer(deps, call, { agent, account, request: { ...request, history, conversation } });
    }),
  ];
}

interface LiteTurn extends Pick<AgentRequest, 'account'> {
  readonly agent: ListedAgent;
  /** The request with its earlier turns, and the id of its conversation, if it has one. */
  readonly request: LiteRequest;
}

async function answer(deps: ChatDeps, call: Call, { agent, account, request }: LiteTurn): Promise<Reply> {
  const { stream, showToolResult, conversation, ...question } = request;
  const { base, signal } = call;
  const asking: AgentRequest = { ...plainQuestion, ...question, agent, account, base, signal };
  const { pieces } = await startTurn(deps, agent, asking, conversation);
  const dialect = { ...deps.options.dialect };
  const lite: LiteAnswer = { pieces, conversation, dialect, showToolResult };
  if (!stream || dialect.stream === 'json') return await wholeAnswer(lite);
  return streamReply(liteFrames(lite), dialect.stream, deps.clock, signal);
}

/** Sends the answer as one JSON body (platform contract CHL-16: answer without a stream; DEC-16). */
async function wholeAnswer(lite: LiteAnswer): Promise<Reply> {
  const { content, sources } = await gathered(lite.pieces);
  const { conversation, dialect, showToolResult } = lite;
  const tools =
    showToolResult && sources.length > 0 ? { tool_result: shaped(TOOLS, dialect.media, sources) } : {};
  return jsonReply(wholeBody(content, { ...tools, ...conversationIds(conversation, dialect) }, dialect));
}

function wholeBody(text: string, rest: Record<string, unknown>, dialect: Dialect): unknown {
  if (dialect.end === 'data-null' || dialect.end === 'no-text') return liteEnvelope(null);
  if (dialect.end === 'data-string') return liteEnvelope(text);
  if (dialect.text === 'plain') return liteEnvelope({ full_output: text, ...rest });
  const payload = textPayload({ delta: text, whole: text }, dialect.text);
  if (payload.place === 'chunk') return liteEnvelope(payload.value);
  if (payload.place === 'top') return { code: 200, message: 'success', ...rest, ...asFields(payload.value) };
  return liteEnvelope({ ...asFields(payload.value), ...rest });
}

interface LiteAnswer {
  readonly pieces: AsyncIterable<Piece>;
  /** Id of the conversation; undefined in key chat. */
  readonly conversation: string | undefined;
  readonly showToolResult: boolean;
  readonly dialect: Dialect;
}

/**
 * Sends the answer as events named `stream`, `tool_result` and `end` (platform contract CHL-17: events of a stream).
 */
async function* liteFrames(answer: LiteAnswer): AsyncIterable<Frame> {
  let whole = '';
  try {
    for await (const piece of answer.pieces) {
      if (piece.type === 'sources' && answer.showToolResult && piece.sources.length > 0) {
        const data = { tool_result: shaped(TOOLS, answer.dialect.media, piece.sources) };
        yield { kind: 'tool_result', event: 'tool_result', data, text: '' };
      }
      if (piece.type !== 'text') continue;
      whole += piece.text;
      const data = textPayload({ delta: piece.text, whole }, answer.dialect.text).value;
      yield { kind: 'stream', event: 'stream', data, text: piece.text };
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    yield { kind: 'error', text: '', ...streamError('lite', error.message, answer.dialect.error) };
    return;
  }
  const end = liteEnd(whole, answer);
  if (end !== undefined) yield { kind: 'end', event: 'end', data: end, text: '' };
}

/** Text that occurs only in the end event. Sent in the dialect `tail`. */
const TAIL = '\n\n(end)';

/**
 * Returns the data of the end event; undefined if the dialect sends no end event (platform contract DEC-12, DEC-14: end
 * of an answer).
 */
function liteEnd(text: string, answer: LiteAnswer): unknown {
  const ids = conversationIds(answer.conversation, answer.dialect);
  const whole = liteEnvelope({ full_output: text, ...ids });
  const shapes: Partial<Record<Dialect['end'], unknown>> = {
    'other-name': liteEnvelope({ answer: text, ...ids }),
    tail: liteEnvelope({ content: TAIL, ...ids }),
    'no-text': liteEnvelope(ids),
    'done-true': { ...whole, done: true },
    'finish-reason': { ...whole, finish_reason: 'stop' },
  };
  return answer.dialect.end === 'none' ? undefined : (shapes[answer.dialect.end] ?? whole);
}

function conversationIds(conversation: string | undefined, dialect: Dialect): Record<string, string> {
  if (conversation === undefined) return {};
  return dialect.end === 'other-ids' ? { conversationId: conversation } : { conversation_id: conversation };
}
