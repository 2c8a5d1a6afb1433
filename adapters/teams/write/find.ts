/** Looks for a message of ours whose sending had an unknown outcome, so that nothing is said twice (fault F28). */

import { isPlain, text } from '../../../src/kit/json.ts';
import type { Outcome, ReplyDocument } from '../../../src/kit.ts';
import type { GraphMessage } from '../api/graph.ts';
import { emitterOf } from '../render/emit.ts';
import type { Of } from './calls.ts';
import { outcomeOf } from './outcomes.ts';
import type { Performing, ReplyPlace } from './parts.ts';

/** `done` without an id: it is not there. */
export async function findReply(call: Of<'find'>, place: ReplyPlace, at: Performing): Promise<Outcome> {
  const { parts, turn, signal } = at;
  const got = await parts.graph?.messages(place, signal);
  if (got === undefined) return { kind: 'refused', why: 'invalid' };
  if (got.kind !== 'got') {
    const outcome = outcomeOf(got, parts.random);
    // Without the consent nobody can look; the conversation itself is not closed.
    return outcome.kind === 'refused' && outcome.why === 'gone'
      ? { kind: 'refused', why: 'invalid' }
      : outcome;
  }
  const { lost, known } = call;
  const ours = got.value
    .filter(({ app, id, createdAt }) => app === parts.appId && !known.includes(id) && createdAt >= lost.since)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  const found = ours.find((each) => isMarked(each, turn.id)) ?? ours.find((each) => says(each, call, at));
  return { kind: 'done', ...(found !== undefined && { id: found.id }) };
}

/** Buttons name the turn. */
function isMarked({ cards }: GraphMessage, turn: string): boolean {
  return cards.some((card) => names(parsed(card), turn));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function names(value: unknown, turn: string): boolean {
  if (Array.isArray(value)) return value.some((each) => names(each, turn));
  if (!isPlain(value)) return false;
  const { data } = value;
  return (
    (isPlain(data) && text(data.turn) === turn) || Object.values(value).some((each) => names(each, turn))
  );
}

/** Whether the words of a message, which carries no button, are the beginning of ours. */
function says({ body, cards }: GraphMessage, { document, lost }: Of<'find'>, { parts }: Performing): boolean {
  if (cards.length > 0) return false;
  const said = lettersOf(body.replace(/<[^>]*>/g, ' '));
  return said !== '' && lettersOf(ours(document, lost.begin.at, parts.format)).startsWith(said);
}

function ours({ text: source }: ReplyDocument, from: number, format: Performing['parts']['format']): string {
  return emitterOf(format).markdown(source.slice(from));
}

/** Without marks, entities and spaces, which Markdown and HTML write differently. */
const lettersOf = (shown: string): string =>
  shown.replace(/&#?\w{1,31};/g, '').replace(/[^\p{L}\p{N}]/gu, '');
