/** Sends messages of the bridge that are not answers: notes, shares, and questions asked with a button. */

import { asWords, type Keyed, type Owner, type RefusedQuestion } from '../../../src/kit/ladder.ts';
import type { AdapterHost, Clock } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import { type Connector, certainlyNotDone, type Sent } from '../api/connector.ts';
import { sendWithRetries } from '../api/retries.ts';
import { readConversation } from '../ids.ts';
import type { Places } from '../receive/places.ts';

/**
 * Maximum wait for a permit, in milliseconds. Answers get permits first; a message that gets no permit in this time is
 * not sent.
 */
const PERMIT_MS = 30_000;

export type Posts = ReturnType<typeof createPosts>;

/**
 * Each method resolves with the outcome of the last attempt, and rejects if the adapter stops.
 * @param signal aborts when the adapter stops
 */
export function createPosts(
  connector: Pick<Connector, 'send' | 'delete'>,
  host: Pick<AdapterHost, 'permit' | 'clock'>,
  signal: AbortSignal,
) {
  const allowed = async ({ tenant, conversation }: ReplyPlace, call: () => Promise<Sent>): Promise<Sent> => {
    const { room } = readConversation(conversation);
    const permit = await host.permit({ tenant, room, family: 'activity' }, PERMIT_MS, signal);
    if (permit === undefined) return { kind: 'unsent', reason: 'no-permit' };
    let refusedMs: number | undefined;
    try {
      const sent = await call();
      if (sent.kind === 'refused' && sent.meaning === 'rate') refusedMs = sent.retryAfterMs ?? 0;
      return sent;
    } finally {
      permit.answered(refusedMs);
    }
  };
  const repeated = (place: ReplyPlace, call: () => Promise<Sent>): Promise<Sent> =>
    sendWithRetries(() => allowed(place, call), host.clock, signal);
  return {
    send: (place: ReplyPlace, activity: object) =>
      repeated(place, () => connector.send(place, activity, signal)),
    remove: (place: ReplyPlace, id: string) =>
      repeated(place, () => connector.delete({ ...place, id }, signal)),
  };
}

/** The record that a message was sent. */
interface SentNote {
  readonly key: string;
  readonly ttlMs: number;
  readonly owner: Owner;
}

/** Sends a message unless it was sent before, and stores that it was sent. */
export async function sendOnce(
  { key, ttlMs, owner }: SentNote,
  state: Keyed,
  send: () => Promise<Sent>,
): Promise<void> {
  if ((await state.get(key)) === true) return;
  await state.set(key, true, ttlMs, owner);
  // The message certainly did not arrive, so let the next event send it.
  if (certainlyNotDone(await send())) await state.delete(key);
}

/** Sends a sentence to the author of a message. Resolves with false if Teams did not accept it. */
export type SendNote = (about: Pick<RefusedQuestion, 'thread' | 'sender'>, words: string) => Promise<boolean>;

/** Sends a note after each pause (milliseconds), until Teams accepts it. For notes that people wait for. */
export async function sendLater(
  send: () => Promise<boolean>,
  pauses: readonly number[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (const pauseMs of pauses) {
    await clock.wait(pauseMs, signal);
    if (await send()) return;
  }
}

/** Returns the message with the app's own words. It is Markdown, because Teams joins the lines of plain text. */
export const wordsMessage = (words: string): object => ({
  type: 'message',
  text: words.split('\n').map(asWords).join('\n'),
  textFormat: 'markdown',
});

/**
 * Returns a function that sends notes. Without targeted messages, everyone in the thread sees a note, because Teams has
 * no other way to answer one person there.
 * @param targeted true if the bridge may send targeted messages, which only one person sees
 */
export function noteSender(
  posts: Pick<Posts, 'send'>,
  places: Pick<Places, 'find'>,
  targeted: boolean,
): SendNote {
  return async ({ thread, sender }, text) => {
    const place = await places.find(thread);
    if (place === undefined) return false;
    const isPrivate = place.targeted === true || (targeted && thread.kind !== 'direct');
    const activity = {
      ...wordsMessage(text),
      ...(isPrivate && { recipient: { id: sender.account ?? sender.id, name: sender.name } }),
    };
    const sent = await posts.send({ ...place, ...(isPrivate && { targeted: true as const }) }, activity);
    return sent.kind === 'done';
  };
}
