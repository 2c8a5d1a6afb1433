/** Questions that are pressed, not written: asked as the person who pressed, and shown as their act before the answer. */

import type { KnownBlock } from '@slack/types';
import {
  type AgentName,
  BridgeError,
  type Intake,
  type IntakeResult,
  type Message,
  type Origin,
  type Quote,
  type ThreadRef,
} from '../../../src/kit.ts';
import { ACT_MARK, messageId, type SHARE_MARK, timeOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import { asMrkdwn, label, shortenedBytes } from '../render/escape.ts';
import { BUTTON, ownLine, paragraph, pieces, SECTION } from './blocks.ts';
import type { Admitted, Scene } from './deps.ts';
import { tell } from './tell.ts';
import { words } from './words.ts';

/** What the fallback text of a post may have. */
const FALLBACK_BYTES = 3_000;
/** Of a question that is shown as an act. */
const SHOWN_PIECES = 4;

export interface Asked {
  readonly thread: ThreadRef;
  readonly text: string;
  readonly agent?: AgentName | undefined;
  readonly quoted?: readonly Quote[];
  /** When, as Slack writes times: unique for the press. */
  readonly ts: string;
}

/** A message of one who may ask, though they wrote none. */
export function actMessage({ person }: Pick<Admitted, 'person'>, asked: Asked): Message {
  const { thread, text, agent, quoted = [], ts } = asked;
  return {
    id: messageId(thread.room, ts),
    thread,
    sender: person,
    text,
    ...(agent !== undefined && { agent }),
    quoted,
    files: [],
    sentAt: timeOf(ts),
    revision: 0,
  };
}

/** What is said of it is said to the person alone. */
export async function takeIn(scene: Scene, event: Intake): Promise<IntakeResult> {
  const kept = await intake(scene, event);
  if (kept.kind === 'refused') await tell(scene, kept.tellUser);
  if (kept.kind === 'nothing') await tell(scene, words.stale);
  return kept;
}

/** A refusal that was thrown is a refusal. */
export async function intake({ deps }: Scene, event: Intake): Promise<IntakeResult> {
  return orRefused({ deps }, () => deps.host.intake(event));
}

export async function orRefused(
  { deps: { host } }: Pick<Scene, 'deps'>,
  work: () => Promise<IntakeResult>,
): Promise<IntakeResult> {
  try {
    return await work();
  } catch (thrown) {
    host.log.warn({ err: thrown }, 'an act could not be taken in');
    const tellUser = thrown instanceof BridgeError ? thrown.tellUser : words.trouble;
    return { kind: 'refused', tellUser };
  }
}

/** Asks, and shows the question in the thread; the answer waits for it. */
export async function askInPublic(
  scene: Admitted,
  { origin, message, said }: { origin: Origin; message: Message; said: string },
): Promise<void> {
  const { deps, workspace } = scene;
  const posted = Promise.withResolvers<void>();
  if (!isPrivate(message.thread)) deps.shown.begin(message.id, posted.promise);
  const kept = await takeIn(scene, { kind: 'ask', origin, message });
  if (kept.kind !== 'kept' || isPrivate(message.thread)) return posted.resolve();
  deps.background.run('the question above an answer', async () => {
    if (message.thread.kind !== 'direct') await deps.engagement.begin(message.thread);
    await deps.calls.call(workspace, 'chat.postMessage', {
      channel: message.thread.room,
      thread_ts: message.thread.key,
      ...actPost(said, message.text),
    });
    posted.resolve();
  });
}

/**
 * A post in somebody's name.
 * @param said our own line, which may name people by id
 */
export function actPost(said: string, question: string) {
  const shown = pieces(question, SECTION).slice(0, SHOWN_PIECES).map(paragraph);
  const blocks: KnownBlock[] = [ownLine(said), ...shown];
  const text = shortenedBytes([said, asMrkdwn(question)].filter(Boolean).join(' '), FALLBACK_BYTES);
  return { text, blocks, unfurl_links: false, unfurl_media: false, metadata: marked(ACT_MARK) };
}

/** So that the thread's history knows whose words they are (attack S19). */
export const marked = (mark: typeof ACT_MARK | typeof SHARE_MARK) => ({
  event_type: mark,
  event_payload: {},
});

/** Live: a person by their id. */
export const nameOf = (user: string): string => `<@${user}>`;

/** An agent's name inside a line of ours. */
export const agentWords = (agent: AgentName): string => asMrkdwn(label(agent, BUTTON, '–'));
