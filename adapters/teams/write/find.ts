/**
 * Looks up a message if the outcome of its post is unknown, so that no text is posted twice (fault F28: connection
 * breaks after a call).
 */

import { decodeEntities, hashOf, plainText, reference, textsBeforeAnswer } from '../../../src/kit/ladder.ts';
import type { Outcome } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { GraphMessage } from '../api/graph.ts';
import { verbOf } from '../render/actions.ts';
import { emitterOf } from '../render/emit.ts';
import { textOf } from '../render/message.ts';
import type { Performing } from './deps.ts';
import { outcomeOf } from './outcomes.ts';
import { renderContextOf } from './render-context.ts';
import type { Of } from './screen.ts';

/** Maximum assumed difference between Teams' clock and the bridge's, in milliseconds. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Looks up a message of the reply. Returns `done` without an id if the message does not exist. */
export async function findReply(call: Of<'find'>, place: ReplyPlace, at: Performing): Promise<Outcome> {
  const { deps, turn, signal } = at;
  const got = await deps.graph?.messages(place, signal);
  if (got === undefined) return { kind: 'refused', why: 'invalid' };
  if (got.kind !== 'got') {
    // Without consent, Teams refuses the look-up as if the conversation were gone, although the conversation may still
    // accept messages.
    const isForbidden = got.kind === 'refused' && (got.meaning === 'gone' || got.meaning === 'denied');
    return isForbidden ? { kind: 'refused', why: 'invalid' } : outcomeOf(got, deps.random);
  }
  const { lost, known } = call;
  const others = await deps.host
    .messagesOfOthers(turn, lost.since - CLOCK_DIFFERENCE_MS)
    .catch(() => undefined);
  if (others === undefined) return { kind: 'unknown' };
  const own = got.value
    .filter(({ app, id }) => app === deps.appId && !known.includes(id) && !others.has(id))
    .filter(({ createdAt }) => createdAt >= lost.since)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  const isSought = (each: GraphMessage) =>
    lost.card === undefined ? says(each, call, at) : isMarked(each, turn.id);
  const found = own.find(isSought);
  return { kind: 'done', ...(found !== undefined && { id: found.id }) };
}

/**
 * True if the data of one of the message's buttons names the turn, whose id occurs nowhere else in a card. The note that
 * the question waits does not count.
 */
const isMarked = ({ cards }: GraphMessage, turn: string): boolean =>
  cards.some((card) => card.includes(JSON.stringify(turn)) && !card.includes(verbOf('instead')));

/**
 * True if the message has no card, and its text is one of these: the answer's beginning, a text that comes before it, or a notice with
 * the reference of this turn.
 */
function says({ body, cards }: GraphMessage, { document, lost }: Of<'find'>, at: Performing): boolean {
  const text = decodeEntities(body.replace(/<[^>]*>/g, ' '));
  if (cards.length > 0 || text.trim() === '') return false;
  const { begin } = lost;
  const whole = emitterOf(at.deps.format).markdown(document.text.slice(begin.at));
  const context = renderContextOf(at.turn, at.deps);
  const now = textOf({ document, extent: { begin }, context, form: 'rich' });
  return (
    // If an earlier process ended before it could store the mark, the text that it sent is unknown, so compare with the
    // current text as well.
    hashOf(bare(text)) === lost.mark ||
    [...textsBeforeAnswer, plainText(now)].some((each) => bare(each) === bare(text)) ||
    bare(plainText(whole)).startsWith(bare(text)) ||
    bare(text).includes(bare(reference(at.turn.id)))
  );
}

/** Removes spaces, and characters to which Markdown may give a meaning, so that texts can be compared. */
const bare = (text: string): string => decodeEntities(text).replace(/[\s\u00a0\\*_`#>~[\]()|!<-]/g, '');

/** Returns a hash of a posted text. The text is recognized by it even if the answer was rewritten meanwhile. */
export const markOf = (posted: string): number => hashOf(bare(plainText(posted)));
