import type { Agent, AgentRequest, Media, Piece, Thought } from '../agents/agent.ts';
import type { AgentDirectory, ListedAgent } from '../agents/directory.ts';
import type { Gatekeeper } from '../auth/identity.ts';
import type { Clock } from '../clock.ts';
import { type Frame, streamBytes, streamType } from '../dialect/stream.ts';
import type { FaultRules } from '../faults/faults.ts';
import type { SandboxAccount, SandboxAgent } from '../fixtures.ts';
import { declined, invalid, type Reply } from '../http/reply.ts';
import type { Options } from '../options.ts';
import { sharePath } from '../store/documents.ts';
import type { Images } from '../store/images.ts';
import type { Session, Sessions, Source } from '../store/sessions.ts';

export interface ChatDeps {
  readonly gatekeeper: Gatekeeper;
  readonly options: Options;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly images: Images;
  readonly faults: Pick<FaultRules, 'forgetsSession'>;
  readonly directory: AgentDirectory;
  /** Returns the agent's implementation. */
  readonly programOf: (agent: ListedAgent) => Agent;
}

/** Returns the agent. Refuses it if it is not published (platform contract ADM-8: switches of an assistant). */
export function published(agent: ListedAgent, refusal = invalid): ListedAgent {
  if (agent.made?.conduct.published === false) throw refusal(`The agent ${agent.title} is not published.`);
  return agent;
}

interface SessionWish {
  readonly id: string | undefined;
  readonly kind: Session['kind'];
  readonly agent: SandboxAgent;
  readonly account: SandboxAccount;
  /** Id of the operation. A rule for the fault F16 (the platform forgets the session) may name a single operation. */
  readonly route: string;
}

/**
 * Returns the requested session, or a new one. A session of another account counts as unknown (platform contract
 * CHL-14: conversations).
 */
export function openSession(deps: ChatDeps, wish: SessionWish): Session {
  const { agent, account, kind } = wish;
  if (wish.id === undefined || wish.id === '') {
    return deps.sessions.create({ kind, agent: agent.name, account: account.id });
  }
  const lifeMs = deps.options.conversationLifeSeconds * 1000;
  const found = deps.sessions.find(wish.id, lifeMs);
  const fits = found?.kind === kind && found.agent === agent.name && found.account === account.id;
  if (!fits || found === undefined || deps.faults.forgetsSession(wish.route)) {
    throw kind === 'open'
      ? declined(`The sessionId ${wish.id} is unknown.`)
      : invalid(`The conversation_id ${wish.id} is unknown.`);
  }
  return found;
}

export interface TurnIds {
  readonly session: string | undefined;
  readonly record: string;
}

/**
 * Stores the question, runs the agent, and stores its answer. If the caller disconnects before the answer ends, stores
 * the text so far.
 */
export async function startTurn(
  deps: ChatDeps,
  agent: ListedAgent,
  asking: AgentRequest,
  session: string | undefined,
) {
  const { sessions, programOf } = deps;
  const { account, question } = asking;
  const record = sessions.begin({ session, agent: agent.name, account: account.id, question });
  const pieces = await withFirst(stored(programOf(agent)(asking), record, sessions));
  return { ids: { session, record }, pieces };
}

async function* stored(
  pieces: AsyncIterable<Piece>,
  record: string,
  sessions: Sessions,
): AsyncGenerator<Piece> {
  let text = '';
  let sources: readonly Source[] = [];
  try {
    for await (const piece of pieces) {
      if (piece.type === 'text') text += piece.text;
      if (piece.type === 'sources') {
        sources = piece.sources;
        sessions.finish(record, text, sources);
      }
      yield piece;
    }
  } finally {
    sessions.finish(record, text, sources);
  }
}

/**
 * Waits for the first piece before the stream begins. If the agent fails before that piece, the caller can still get an
 * HTTP error status.
 */
async function withFirst(pieces: AsyncGenerator<Piece>): Promise<AsyncIterable<Piece>> {
  const first = await pieces.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  })();
}

/** Waits for the whole answer. */
export async function gathered(pieces: AsyncIterable<Piece>) {
  let content = '';
  let sources: readonly Source[] = [];
  let medias: readonly Media[] = [];
  let suggestionQuestions: readonly string[] = [];
  const thoughts: Thought[] = [];
  for await (const piece of pieces) {
    if (piece.type === 'text') content += piece.text;
    if (piece.type === 'sources') sources = piece.sources;
    if (piece.type === 'media') medias = piece.medias;
    if (piece.type === 'suggestions') suggestionQuestions = piece.questions;
    if (piece.type === 'thought') thoughts.push(piece.thought);
  }
  return { content, sources, medias, suggestionQuestions, thoughts };
}

/** Returns the fragments from which an answer was made, best first (platform contract REF-2: references). */
export function referenceList(sources: readonly Source[], base: string): readonly unknown[] {
  return sources.map(({ title, content, score, document }) => {
    if (document === '') return { title, content, score, type: 'QnA' };
    return { title, content, score, url: `${base}${sharePath(document)}`, type: 'document' };
  });
}

/** Makes a streamed reply. Sends pings in an event stream while there is nothing else to send. */
export function streamReply(
  frames: AsyncIterable<Frame>,
  dialect: string,
  clock: Clock,
  signal: AbortSignal,
): Reply {
  const type = streamType(dialect);
  const body = streamBytes(frames, dialect);
  const eventStream = type?.startsWith('text/event-stream') ?? false;
  return {
    status: 200,
    headers: { ...(type === undefined ? {} : { 'content-type': type }), 'cache-control': 'no-cache' },
    body: eventStream ? withPings(body, clock, signal) : body,
  };
}

/**
 * Milliseconds between two pings. A ping is a comment, and keeps proxies from closing a silent stream (platform
 * contract CHL-17: streams).
 */
const PING_MS = 15_000;
const PING = Buffer.from(': ping\n\n');

/** Adds pings to a stream while it sends no events. */
async function* withPings(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    while (!signal.aborted) {
      const waiting = new AbortController();
      const silence = clock.sleep(PING_MS, AbortSignal.any([signal, waiting.signal])).then(() => undefined);
      const result = await Promise.race([next, silence]);
      waiting.abort();
      if (result === undefined) {
        if (!signal.aborted) yield PING;
        continue;
      }
      if (result.done) return;
      yield result.value;
      next = iterator.next();
    }
    next.catch(() => undefined);
  } finally {
    await iterator.return?.();
  }
}
