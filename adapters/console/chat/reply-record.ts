/** Converts documents into stored replies, and finds what changed between two stored replies. Pure. */

import type { ReplyDocument } from '../../../src/kit.ts';
import { orderSources } from '../sources-view.ts';
import type { ReplyRecord } from './records.ts';

/** Where a turn's reply is shown, and which turn's reply it replaces. */
export interface ReplyPlace {
  readonly turn: string;
  /** Number of times that the turn was claimed. */
  readonly attempt: number;
  /** The turn whose message this turn reuses: after a retry, for another version, or after an edit of the question. */
  readonly of?: string;
  /** The first turn whose answer the message showed. */
  readonly root: string;
  /** Id of the message with the question. */
  readonly question: string;
  readonly room: string;
  readonly thread: string;
}

const blank = { steps: [], media: [], sources: [], suggestions: [], notices: [], text: '', retry: false };

export function waitingReply({ turn, root, question }: ReplyPlace, ahead: number): ReplyRecord {
  return { turn, root, question, state: 'waiting', ahead, ...blank };
}

/** Returns the reply as ended, because its turn is missing from the bridge's inbox. */
export function lostReply({ ahead: _ahead, meanwhile: _meanwhile, ...reply }: ReplyRecord): ReplyRecord {
  const partial = reply.text !== '';
  const text = partial
    ? 'The rest of this answer was lost when the bridge restarted. The text so far is kept. Press Retry to ask again.'
    : 'This question was lost when the bridge restarted. Press Retry to ask again.';
  return {
    ...reply,
    state: partial ? 'partial' : 'failed',
    steps: reply.steps.map((step) => (step.state === 'running' ? { ...step, state: 'done' } : step)),
    notices: [...reply.notices, { tone: partial ? 'warning' : 'error', text }],
    retry: true,
    lost: true,
  };
}

/** Converts a document into a stored reply with this text. Leaves out properties that only the writer needs. */
export function replyOf(place: ReplyPlace, document: ReplyDocument, text: string): ReplyRecord {
  const { root, question, attempt } = place;
  const { version: _version, rewrites: _rewrites, error: _error, question: _question, ...more } = document;
  const { turn, endedWithoutMarker: _unmarked, postponed: _postponed, meanwhile, ...kept } = more;
  const isThinking = meanwhile !== undefined && kept.state === 'thinking';
  const own = turn === place.turn && { attempt };
  return { turn, root, question, ...own, ...kept, text, ...(isThinking && { meanwhile }) };
}

/**
 * True if a later turn, or a later claim of the same turn, has already written the reply. The write for `place` then comes
 * too late, for example because the network of its replica did not work for a while.
 */
export function isOutdated(place: ReplyPlace, reply: ReplyRecord): boolean {
  const { turn, attempt = 0, state, earlier = [] } = reply;
  if (turn === place.turn) return attempt > place.attempt;
  return state !== 'waiting' && earlier.includes(place.turn);
}

/** Maximum earlier turns stored with a reply. So many versions or edits of one question are rare. */
const MAX_EARLIER = 100;

/** Returns the newer reply, with the claim and the earlier turns that the old one records. */
export function withEarlier(old: ReplyRecord | undefined, now: ReplyRecord): ReplyRecord {
  if (old === undefined) return now;
  const { turn, earlier = [], attempt, state } = old;
  const isSame = turn === now.turn;
  // A turn that waits has no answer yet: it has not ended, and its later writes are not outdated.
  const turns = isSame || state === 'waiting' ? earlier : [...earlier, turn].slice(-MAX_EARLIER);
  return {
    ...(isSame && attempt !== undefined && { attempt }),
    ...now,
    ...(turns.length > 0 && { earlier: turns }),
  };
}

/** Returns the state in which the turn ended; undefined if it has not ended, or has no answer in this reply. */
export function endOf(reply: ReplyRecord, turn: string): ReplyDocument['state'] | undefined {
  if (reply.turn !== turn) return reply.earlier?.includes(turn) ? 'done' : undefined;
  return isOpen(reply) || reply.state === 'waiting' ? undefined : reply.state;
}

/** True if the reply has not ended. */
export function isOpen({ state }: ReplyRecord): boolean {
  return state === 'waiting' || state === 'thinking' || state === 'writing';
}

/** True if a change can be published only with the whole message. */
export function needsWholeMessage(old: ReplyRecord, now: ReplyRecord): boolean {
  const members = ['turn', 'agent', 'state', 'meanwhile'] as const;
  return members.some((member) => old[member] !== now[member]);
}

/**
 * Returns the change from the old text to the new one: what was added, if the text only grew; otherwise the whole text.
 */
export function textChange(
  { text: old }: ReplyRecord,
  { text: now }: ReplyRecord,
): { readonly at: number; readonly text: string } | undefined {
  if (old === now) return undefined;
  return now.startsWith(old) ? { at: old.length, text: now.slice(old.length) } : { at: 0, text: now };
}

/**
 * True if a property other than the text changed. Compares by identity, because documents reuse objects that did not
 * change. An equal copy would only cause an event that is not needed.
 */
export function restChanged(old: ReplyRecord, now: ReplyRecord): boolean {
  const before: Readonly<Record<string, unknown>> = { ...old, text: now.text };
  const isOther = Object.entries(now).some(([name, value]) => before[name] !== value);
  return isOther || Object.keys(now).length !== Object.keys(old).length || renumbered(old, now);
}

/** True if the sources have a new order. They are ordered by where the text first refers to them. */
function renumbered(old: ReplyRecord, now: ReplyRecord): boolean {
  const order = orderSources(old.sources, old.text);
  return orderSources(now.sources, now.text).some((source, index) => source !== order[index]);
}
