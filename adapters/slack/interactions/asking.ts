/** Questions that are pressed, not written: asked as the person who pressed, and shown as their act before the answer. */

import type { KnownBlock } from '@slack/types';
import {
  type AgentName,
  type IntakeResult,
  type Message,
  type Origin,
  type Quote,
  type ThreadRef,
  taken,
} from '../../../src/kit.ts';
import { ACT_MARK, messageId, type SHARE_MARK, timeOf } from '../ids.ts';
import { asMrkdwn, label, shortenedBytes } from '../render/escape.ts';
import { BUTTON, ownLine, paragraph, pieces, SECTION } from './blocks.ts';
import type { Admitted, Scene } from './deps.ts';
import { tell } from './tell.ts';

/** What the fallback text of a post may have. */
const FALLBACK_BYTES = 3_000;
/** Of a question that is shown as an act. */
const SHOWN_PIECES = 4;

interface Asked {
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

/** True if it was taken in; else the person is told why not. */
export async function takeIn(scene: Scene, work: () => Promise<IntakeResult>): Promise<boolean> {
  const { kind, sentence } = await taken(work, { host: scene.deps.host, done: '' });
  if (kind !== 'done') await tell(scene, sentence);
  return kind === 'done';
}

/** Asks, and shows the question in the thread; the answer waits for it. */
export async function askInPublic(
  { deps, workspace }: Scene,
  { origin, message, said }: { origin: Origin; message: Message; said: string },
): Promise<IntakeResult> {
  const { id, thread } = message;
  const posted = Promise.withResolvers<void>();
  deps.shown.begin(id, posted.promise);
  const kept = await deps.host.intake({ kind: 'ask', origin, message }).catch((thrown: unknown) => {
    posted.resolve();
    throw thrown;
  });
  if (kept.kind !== 'kept') posted.resolve();
  else
    deps.background.run('the question above an answer', async () => {
      if (thread.kind !== 'direct') await deps.engagement.begin(thread);
      const to = { channel: thread.room, thread_ts: thread.key };
      await deps.calls.call(workspace, 'chat.postMessage', { ...to, ...actPost(said, message.text) });
      posted.resolve();
    });
  return kept;
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
