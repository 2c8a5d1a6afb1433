/** Looks for a message of ours whose sending had an unknown outcome, so that nothing is said twice (fault F28). */

import { isPlain, text } from '../../../src/kit/json.ts';
import { type Outcome, plain } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { GraphMessage } from '../api/graph.ts';
import { emitterOf } from '../render/emit.ts';
import { textOf } from '../render/message.ts';
import { words } from '../render/words.ts';
import type { Performing } from './deps.ts';
import { lookOf } from './look.ts';
import { outcomeOf } from './outcomes.ts';
import type { Of } from './screen.ts';

/** `done` without an id: it is not there. */
export async function findReply(call: Of<'find'>, place: ReplyPlace, at: Performing): Promise<Outcome> {
  const { deps, turn, signal } = at;
  const got = await deps.graph?.messages(place, signal);
  if (got === undefined) return { kind: 'refused', why: 'invalid' };
  if (got.kind !== 'got') {
    const outcome = outcomeOf(got, deps.random);
    // Without the consent nobody can look; the conversation itself is not closed.
    return outcome.kind === 'refused' && outcome.why === 'gone'
      ? { kind: 'refused', why: 'invalid' }
      : outcome;
  }
  const { lost, known } = call;
  const ours = got.value
    .filter(({ app, id, createdAt }) => app === deps.appId && !known.includes(id) && createdAt >= lost.since)
    .filter(({ id }) => !deps.sentMessages.isOthers(id, place, turn.id))
    .toSorted((one, other) => one.createdAt - other.createdAt);
  const isIt = (each: GraphMessage) =>
    lost.card === undefined ? says(each, call, at) : isMarked(each, turn.id);
  const found = ours.find(isIt);
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

/** True if the words of a message without a card are the beginning of ours, or the words that stand there before. */
function says({ body, cards }: GraphMessage, { document, lost }: Of<'find'>, at: Performing): boolean {
  const said = unescaped(body.replace(/<[^>]*>/g, ' '));
  if (cards.length > 0 || said.trim() === '') return false;
  const { begin } = lost;
  const whole = emitterOf(at.deps.format).markdown(document.text.slice(begin.at));
  const now = textOf(document, { begin }, lookOf(at.turn, at.deps), 'rich');
  // After a takeover nobody knows what it said when it was sent.
  const known = [words.thinking, plain(now), plain(at.unanswered.text ?? now)];
  return known.some((each) => bare(each) === bare(said)) || bare(plain(whole)).startsWith(bare(said));
}

/** Without spaces and signs that Markdown may take for its own. */
const bare = (shown: string): string => unescaped(shown).replace(/[\s\u00a0\\*_`#>~[\]()|!<-]/g, '');

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
  amp: '&',
};

const unescaped = (html: string): string =>
  html.replace(/&(lt|gt|quot|nbsp|#39|amp);/g, (whole, name: string) => entities[name] ?? whole);
