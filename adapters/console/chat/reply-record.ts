/** Converts documents to stored replies, and compares stored replies. Pure. */

import type { ReplyDocument } from '../../../src/kit.ts';
import { orderSources } from '../sources-view.ts';
import type { ReplyRecord } from './records.ts';

/** The place of a turn's reply, and the turn that it continues. */
export interface ReplyPlace {
  readonly turn: string;
  /** The turn whose message this turn continues: for a retry, another version or an edited question. */
  readonly of?: string;
  /** The first turn that wrote to the message. */
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

/** Returns the ended form of a reply whose turn is missing from the inbox. */
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

/** Converts a document to a stored reply with the given text, without the members that only the writer needs. */
export function replyOf({ root, question }: ReplyPlace, document: ReplyDocument, text: string): ReplyRecord {
  const { version: _version, rewrites: _rewrites, error: _error, question: _question, ...more } = document;
  const { turn, endedWithoutMarker: _unmarked, meanwhile, ...kept } = more;
  const isThinking = meanwhile !== undefined && kept.state === 'thinking';
  return { turn, root, question, ...kept, text, ...(isThinking && { meanwhile }) };
}

/** Maximum earlier turns of a reply. More versions and edits of one question are rare. */
const MAX_EARLIER = 100;

/** Returns the newer reply with the list of earlier turns that wrote to its message. */
export function withEarlier(old: ReplyRecord | undefined, now: ReplyRecord): ReplyRecord {
  if (old === undefined) return now;
  const { turn, earlier = [] } = old;
  const turns = turn === now.turn ? earlier : [...earlier, turn].slice(-MAX_EARLIER);
  return turns.length === 0 ? now : { ...now, earlier: turns };
}

/** Returns the state in which a turn of this reply ended; undefined if the turn is open, or not of this reply. */
export function endOf(reply: ReplyRecord, turn: string): ReplyDocument['state'] | undefined {
  if (reply.turn !== turn) return reply.earlier?.includes(turn) ? 'done' : undefined;
  return isOpen(reply) || reply.state === 'waiting' ? undefined : reply.state;
}

/** True if the reply has not ended. */
export function isOpen({ state }: ReplyRecord): boolean {
  return state === 'waiting' || state === 'thinking' || state === 'writing';
}

/** True if the turn, the agent or the state changed, so that the whole message must be published. */
export function needsWholeMessage(old: ReplyRecord, now: ReplyRecord): boolean {
  return old.turn !== now.turn || old.agent !== now.agent || old.state !== now.state;
}

/** Returns the change from the old text to the new: the added end if the text only grew, otherwise the whole text. */
export function textChange(
  { text: old }: ReplyRecord,
  { text: now }: ReplyRecord,
): { readonly at: number; readonly text: string } | undefined {
  if (old === now) return undefined;
  return now.startsWith(old) ? { at: old.length, text: now.slice(old.length) } : { at: 0, text: now };
}

/**
 * True if a member other than the text changed. Compares by identity, because a document reuses unchanged members; an
 * equal copy would only cause a needless event.
 */
export function restChanged(old: ReplyRecord, now: ReplyRecord): boolean {
  const members = [
    'steps',
    'media',
    'sources',
    'suggestions',
    'notices',
    'retry',
    'account',
    'editions',
  ] as const;
  return members.some((member) => old[member] !== now[member]) || renumbered(old, now);
}

/** True if the sources, which are ordered by their first marks in the text, have a new order. */
function renumbered(old: ReplyRecord, now: ReplyRecord): boolean {
  const order = orderSources(old.sources, old.text);
  return orderSources(now.sources, now.text).some((source, index) => source !== order[index]);
}
