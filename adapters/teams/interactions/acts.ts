/** Questions that are pressed, not written, are shown as the person's act before their answer. */

import {
  type Message,
  orAborted,
  type ReplyWriter,
  type ThreadRef,
  type Turn,
  within,
} from '../../../src/kit.ts';
import { neverCame } from '../api/connector.ts';
import { type ActKind, activityOf, actOf } from '../ids.ts';
import type { Posts } from '../inbound/posts.ts';
import type { Places } from '../receive/places.ts';
import { actPost } from '../render/act-post.ts';
import type { SurfaceDeps } from './deps.ts';
import { words } from './words.ts';

/** As long as the bridge knows the question. */
const SHOWN_MS = 24 * 60 * 60_000;
/** So long an answer waits for the question above it; then it comes without. */
const WAIT_MS = 5_000;

export interface ActingDeps {
  readonly host: Pick<SurfaceDeps['host'], 'state' | 'clock' | 'log'>;
  readonly places: Pick<Places, 'find'>;
  readonly posts: Pick<Posts, 'send'>;
  readonly background: SurfaceDeps['background'];
  isPrivate(thread: ThreadRef): boolean;
}

/** The writer, after the question that a press asked stands above the place of its answer. */
export function showingActs(turn: Turn, writer: ReplyWriter, deps: ActingDeps): ReplyWriter {
  const { message } = turn;
  const kind = actOf(message.id);
  if (kind === undefined || deps.isPrivate(message.thread)) return writer;
  let shown: Promise<void> | undefined;
  return {
    ...(writer.ends !== undefined && { ends: writer.ends }),
    blank: () => writer.blank(),
    next: (screen, document, now) => writer.next(screen, document, now),
    after: (screen, move, outcome, now) => writer.after(screen, move, outcome, now),
    resume: (screen) => writer.resume(screen),
    async perform(move, signal) {
      shown ??= showWithin(message, kind, deps);
      await orAborted(shown, signal);
      return writer.perform(move, signal);
    },
  };
}

/** The answer waits for it, but not for ever. */
async function showWithin(message: Message, kind: ActKind, deps: ActingDeps): Promise<void> {
  const { background, host } = deps;
  const shown = Promise.withResolvers<void>();
  background.run('the question above an answer', () => show(message, kind, deps).finally(shown.resolve));
  await within(shown.promise, WAIT_MS, host.clock);
}

async function show(message: Message, kind: ActKind, { host, places, posts }: ActingDeps): Promise<void> {
  const { thread } = message;
  const key = `act ${thread.tenant} ${thread.room} ${activityOf(message.id)}`;
  if ((await host.state.get(key)) === true) return;
  await host.state.set(key, true, SHOWN_MS);
  const place = await places.find(thread);
  if (place === undefined) return;
  const sent = await posts.send(place, actPost(headOf(message, kind), message.text));
  // What surely did not arrive is said the next time.
  if (neverCame(sent)) await host.state.delete(key);
}

function headOf({ sender: { name }, agent }: Message, kind: ActKind): string {
  switch (kind) {
    case 'suggestion':
      return words.asks(name, agent);
    case 'same':
      return words.asksSame(name, agent);
    case 'mine':
      return words.asksAlone;
  }
}
