/** Questions that are pressed, not written: asked as the person who pressed, and shown as their act before the answer. */

import {
  type AgentName,
  BridgeError,
  type Intake,
  type IntakeResult,
  type Message,
  orAborted,
  type ReplyWriter,
  type ThreadRef,
  type Turn,
} from '../../../src/kit.ts';
import { neverCame } from '../api/connector.ts';
import { type ActKind, actId, activityOf, actOf } from '../ids.ts';
import type { Posts } from '../inbound/posts.ts';
import type { Places } from '../receive/places.ts';
import { actPost } from '../render/act-post.ts';
import { refused, said, type Told } from './answers.ts';
import type { Admitted, Scene, SurfaceDeps } from './deps.ts';
import { words } from './words.ts';

export interface Asked {
  readonly kind: ActKind;
  readonly thread: ThreadRef;
  /** Empty: the bridge knows the words. */
  readonly text: string;
  readonly agent?: AgentName | undefined;
}

/** A message of one who may ask, though they wrote none. */
export function actMessage({ person, key, deps }: Admitted, { kind, thread, text, agent }: Asked): Message {
  return {
    id: actId(thread.room, kind, key),
    thread,
    sender: person,
    text,
    ...(agent !== undefined && { agent }),
    quoted: [],
    files: [],
    sentAt: deps.host.clock.now(),
    revision: 0,
  };
}

/** A refusal that was thrown is a refusal. */
export async function intake({ deps: { host } }: Scene, event: Intake): Promise<IntakeResult> {
  try {
    return await host.intake(event);
  } catch (thrown) {
    host.log.warn({ err: thrown }, 'an act could not be taken in');
    const tellUser = thrown instanceof BridgeError ? thrown.tellUser : words.trouble;
    return { kind: 'refused', tellUser };
  }
}

/** @param sentence where it was taken in */
export async function takeIn(scene: Scene, event: Intake, sentence: string): Promise<Told> {
  const kept = await intake(scene, event);
  if (kept.kind === 'refused') return refused(kept.tellUser);
  return kept.kind === 'nothing' ? refused(words.stale) : said(sentence);
}

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
  const over = new AbortController();
  const late = host.clock.wait(WAIT_MS, over.signal).catch(() => undefined);
  await Promise.race([shown.promise, late]).finally(() => over.abort());
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
