/**
 * Posts a note in the thread of a waiting question, and deletes the note when the question's turn begins or ends. Also
 * deletes messages that Teams refuses to delete while their stream is open.
 */

import {
  answerWords,
  type Background,
  createWaitingSigns,
  type PostResult,
  type RemovalResult,
  type WaitingSign,
  type WaitingSigns,
} from '../../../src/kit/ladder.ts';
import { type AdapterHost, defined, type Turn } from '../../../src/kit.ts';
import { certainlyNotDone, type Sent } from '../api/connector.ts';
import type { Graph, GraphMessage } from '../api/graph.ts';
import { activityOf } from '../ids.ts';
import { STREAM_LIFE_MS } from '../limits.ts';
import { isCopilot, isPrivate } from '../private.ts';
import { cardQuote } from '../receive/cards.ts';
import { plainOf } from '../receive/html.ts';
import type { Places } from '../receive/places.ts';
import type { Posts } from './posts.ts';
import { words } from './words.ts';

/** Maximum number of notes that are deleted per minute in one organization. Teams allows an app far more deletions. */
const PER_MINUTE = 60;

/** Time after which the bridge no longer tries to delete a message whose deletion Teams refuses, in milliseconds. */
const GIVEN_UP_MS = 60 * 60_000;

interface WaitingDeps {
  readonly posts: Posts;
  readonly places: Pick<Places, 'find' | 'room'>;
  readonly host: Pick<AdapterHost, 'state' | 'waits' | 'clock' | 'log'>;
  readonly background: Background;
  /** Returns the note as a card with the button *Ask this instead*. */
  cardNote(turn: Turn, sentence: string): object;
  /** Set if owners may consent to reading messages. */
  readonly graph: Pick<Graph, 'messages'> | undefined;
  /** Id of the app in Microsoft Entra, which identifies its messages. */
  readonly appId: string;
  /** Aborts when the adapter stops. The next process deletes the notes that are still in Teams. */
  readonly signal: AbortSignal;
}

/**
 * Creates the notes for waiting questions. If the outcome of sending a note is unknown, the bridge looks the note up in
 * order to delete it. If the owners did not consent to reading messages, the bridge cannot look it up, and the note may
 * remain. The note is therefore worded so that it stays true after the answer.
 */
export function createWaiting(deps: WaitingDeps): Promise<WaitingSigns> {
  const { posts, places, host, background, cardNote, signal } = deps;
  return createWaitingSigns({
    host,
    background,
    signal,
    key: 'waiting notes',
    perMinute: PER_MINUTE,
    placeOf({ message: { id, thread } }) {
      if (isPrivate(thread) || isCopilot(thread)) return undefined;
      const { tenant, room, key, kind } = thread;
      const isRead = deps.graph !== undefined && kind !== 'direct';
      return { tenant, room, on: activityOf(id), ...(isRead && { thread: key }) };
    },
    async put(_sign, turn, ahead) {
      const place = await places.find(turn.message.thread).catch(() => undefined);
      if (place === undefined) return { kind: 'refused' };
      const sentence = words.waiting(ahead);
      const plain = { type: 'message', text: sentence, textFormat: 'plain' };
      // Without a question before it, there is no answer that the button could stop.
      const sent = await posts.send(place, ahead > 0 ? cardNote(turn, sentence) : plain).catch(stopped);
      const refusesCard = ahead > 0 && sent.kind === 'refused' && sent.meaning === 'invalid';
      return putBy(refusesCard ? await posts.send(place, plain).catch(stopped) : sent);
    },
    async take(sign, known) {
      const id = sign.id ?? (await findNote(sign, known, deps));
      if (typeof id !== 'string') return id;
      const place = await places.room(sign.tenant, sign.room).catch(() => 'unknown' as const);
      if (place === 'unknown') return { kind: 'retry' };
      if (place === undefined) return { kind: 'gone' };
      const sent = await posts.remove(place, id).catch(stopped);
      const meaning = sent.kind === 'refused' ? sent.meaning : undefined;
      const isOpen = sign.notBefore !== undefined && meaning === 'invalid';
      const isOver = host.clock.now() - sign.putAt > GIVEN_UP_MS;
      if (isOver && (isOpen || meaning === 'denied')) return { kind: 'gone' };
      return isOpen ? { kind: 'retry', afterMs: STREAM_LIFE_MS } : takenBy(sent);
    },
  });
}

const stopped = (): Sent => ({ kind: 'unknown', reason: 'stopped' });

function putBy(sent: Sent): PostResult {
  if (sent.kind === 'done') return sent;
  return { kind: certainlyNotDone(sent) ? 'refused' : 'unknown' };
}

function takenBy(sent: Sent): RemovalResult {
  if (sent.kind === 'done') return { kind: 'gone' };
  if (sent.kind !== 'refused') return { kind: 'retry' };
  const { meaning, retryAfterMs: afterMs } = sent;
  return meaning === 'gone' || meaning === 'invalid'
    ? { kind: 'gone' }
    : { kind: 'retry', ...defined({ afterMs }) };
}

/** Maximum difference between Teams' clock and the bridge's, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** Looks up the id of a note that was sent with an unknown outcome. */
async function findNote(
  { tenant, room, thread, putAt }: WaitingSign,
  known: readonly string[],
  { graph, appId, places, signal }: WaitingDeps,
): Promise<string | RemovalResult> {
  if (graph === undefined || thread === undefined) return { kind: 'gone' };
  const where = { tenant, room, key: thread, kind: thread === room ? 'group' : 'room' } as const;
  const place = await places.find(where).catch(() => 'unknown' as const);
  if (place === 'unknown') return { kind: 'retry' };
  if (place === undefined) return { kind: 'gone' };
  const got = await graph.messages(place, signal).catch(stopped);
  if (got.kind !== 'got') return takenBy(got);
  const since = putAt - CLOCK_SKEW_MS;
  const found = got.value
    .filter(({ app, id, createdAt }) => app === appId && createdAt >= since && !known.includes(id))
    .find((message) => isNote(wordsOf(message)));
  return found?.id ?? { kind: 'gone' };
}

/** Returns the words of a message and its cards, without the button of a note. */
function wordsOf({ body, cards }: GraphMessage): string {
  const quotes = cards.flatMap((content) => cardQuote({ content }));
  const words = [plainOf(body), ...quotes.map(({ text }) => text)].join('');
  return words.replace(`\n${answerWords.instead}`, '').trim();
}

function isNote(text: string): boolean {
  const ahead = Number(/\d+/.exec(text)?.[0] ?? 0);
  return [0, 1, ahead].some((each) => words.waiting(each) === text);
}
