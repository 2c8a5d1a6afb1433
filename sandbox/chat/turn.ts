import type { Agent, Asked, Piece } from '../agents/agent.ts';
import type { Sessions, Source } from '../store/sessions.ts';

export interface TurnIds {
  readonly session: string | undefined;
  readonly record: string;
}

export interface StartedTurn {
  readonly ids: TurnIds;
  readonly pieces: AsyncIterable<Piece>;
}

/** Keeps the question, runs the agent, and keeps what it answered, also when the caller leaves in the middle. */
export function startTurn(
  agent: Agent,
  asked: Asked,
  session: string | undefined,
  sessions: Sessions,
): StartedTurn {
  const record = sessions.begin({
    session,
    agent: asked.agent.name,
    account: asked.account.id,
    question: asked.question,
  });
  return { ids: { session, record }, pieces: kept(agent(asked), record, sessions) };
}

async function* kept(pieces: AsyncIterable<Piece>, record: string, sessions: Sessions): AsyncIterable<Piece> {
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

/** Waits for the first piece, so that an agent that fails at once answers with a status instead of a stream. */
export async function withFirst(pieces: AsyncIterable<Piece>): Promise<AsyncIterable<Piece>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
}
