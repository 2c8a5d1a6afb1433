import { type Conduct, holdsKeyword, type KeywordFilter } from '../bots/conduct.ts';
import type { Agent, Asked, Piece } from './agent.ts';

export interface MadeParts {
  /** Answers from documents. */
  readonly knowledge: Agent;
  /** Whether a model writes the answers of `knowledge`, so that it can follow a prompt without documents. */
  readonly hasModel: boolean;
  /** Ids of knowledge workspaces by name or id. */
  readonly workspaceIds: (names: readonly string[]) => readonly string[];
}

/** No workspace has this id: what is limited to it finds nothing. */
const NOWHERE = '-';

/** An agent that was made through the API, as its record says (platform contract EXP-17, ADM-9, ADM-12). */
export function madeAgent(conduct: Conduct, description: string, parts: MadeParts): Agent {
  return (asked) => {
    const { filter } = conduct;
    if (filter?.onQuestion !== undefined && holdsKeyword(asked.question, filter))
      return say(filter.onQuestion);
    const answer = answerOf(conduct, description, asked, parts);
    const shaped = shapedBy(conduct, answer);
    return filter?.onAnswer === undefined ? shaped : reviewed(shaped, filter, filter.onAnswer);
  };
}

async function* say(text: string): AsyncIterable<Piece> {
  yield { type: 'text', text };
}

function answerOf(
  conduct: Conduct,
  description: string,
  asked: Asked,
  { knowledge, hasModel, workspaceIds }: MadeParts,
): AsyncIterable<Piece> {
  const own = conduct.workspaces;
  if (own?.length === 0 && !hasModel) return say(introduction(conduct, description, asked.question));
  const history = conduct.turns === undefined ? asked.history : lastOf(asked.history, conduct.turns);
  const wanted = asked.workspaces.length === 0 ? own : workspaceIds(asked.workspaces);
  const allowed = own === undefined ? wanted : wanted?.filter((id) => own.includes(id));
  const workspaces = allowed?.length === 0 ? [NOWHERE] : (allowed ?? []);
  return knowledge({ ...asked, history, workspaces, prompt: conduct.prompt });
}

const lastOf = <T>(list: readonly T[], count: number): readonly T[] =>
  count === 0 ? [] : list.slice(-count);

/** Without documents and without a model there is nothing to answer with; it says so. */
function introduction({ title, greeting }: Conduct, description: string, question: string): string {
  const opening = [greeting || `I am ${title}.`, description].filter((text) => text !== '').join(' ');
  return `${opening}\n\nI have no documents to answer from, so I can only repeat your question:\n\n> ${question.replaceAll('\n', '\n> ')}`;
}

async function* shapedBy(conduct: Conduct, pieces: AsyncIterable<Piece>): AsyncIterable<Piece> {
  for await (const piece of pieces) {
    if (piece.type === 'suggestions' && !conduct.suggests) continue;
    if (piece.type !== 'sources') yield piece;
    else if (conduct.showsReferences) {
      const good = piece.sources.filter(({ score }) => score >= conduct.leastScore);
      yield { type: 'sources', sources: good.slice(0, conduct.fragments) };
    }
  }
}

/** An answer that is looked at can only be shown when it is whole. */
async function* reviewed(
  pieces: AsyncIterable<Piece>,
  filter: KeywordFilter,
  instead: string,
): AsyncIterable<Piece> {
  const all: Piece[] = [];
  for await (const piece of pieces) all.push(piece);
  const text = all.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  if (holdsKeyword(text, filter)) yield { type: 'text', text: instead };
  else yield* all;
}
