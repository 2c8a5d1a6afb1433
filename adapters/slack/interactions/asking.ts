/** Questions that a person asks with a button or a form. The question is posted above its answer. */

import type { KnownBlock } from '@slack/types';
import { type AgentName, type IntakeResult, type Origin, pressResult } from '../../../src/kit/ladder.ts';
import type { Message } from '../../../src/kit.ts';
import { ACT_MARK, messageId, type SHARE_MARK, timeOf } from '../ids.ts';
import { BUTTON, ownLine, paragraph, pieces, SECTION } from '../render/blocks.ts';
import { asMrkdwn, label, shortenedBytes } from '../render/escape.ts';
import type { Admitted, Interaction } from './deps.ts';
import { tell } from './tell.ts';

/** Maximum UTF-8 bytes of a post's fallback text, which notifications show. */
const FALLBACK_BYTES = 3_000;
/** Maximum paragraphs of a question posted above its answer. */
const SHOWN_PIECES = 4;

/** `ts` is a Slack time stamp that is unique to this press. */
type ActQuestion = Pick<Message, 'thread' | 'text'> &
  Partial<Pick<Message, 'quoted'>> & { readonly agent?: AgentName | undefined; readonly ts: string };

/** Builds the message for a question asked with a button or a form, because no such message exists in Slack. */
export function actMessage({ person }: Pick<Admitted, 'person'>, question: ActQuestion): Message {
  const { thread, text, agent, quoted = [], ts } = question;
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

/** Offers a question to the bridge. Returns true if the bridge accepts it; otherwise tells the person why not. */
export async function takeIn(interaction: Interaction, work: () => Promise<IntakeResult>): Promise<boolean> {
  const { kind, sentence } = await pressResult(work, { host: interaction.deps.host, done: '' });
  if (kind !== 'done') await tell(interaction, sentence);
  return kind === 'done';
}

/**
 * Asks the question, and at the same time posts it in the thread. The answer waits for that post, so that the answer
 * appears below the question.
 */
export async function askInPublic(
  { deps, workspace }: Interaction,
  { origin, message, said }: { origin: Origin; message: Message; said: string },
): Promise<IntakeResult> {
  const { id, thread } = message;
  const post = { channel: thread.room, thread_ts: thread.key, ...actPost(said, message.text) };
  const asking = deps.host.intake({ kind: 'ask', origin, message });
  const posting = asking.then(async ({ kind }) => {
    if (kind !== 'kept') return;
    await deps.background.result('posting the question above an answer', () =>
      deps.calls.call(workspace, 'chat.postMessage', post),
    );
  });
  deps.questionPosts.begin(id, posting);
  return asking;
}

/**
 * Returns a post on behalf of a person.
 * @param sentence a line written by the app; it may mention people by id
 */
export function actPost(sentence: string, question: string) {
  const sections = pieces(question, SECTION).slice(0, SHOWN_PIECES).map(paragraph);
  const blocks: KnownBlock[] = [ownLine(sentence), ...sections];
  const text = shortenedBytes([sentence, asMrkdwn(question)].filter(Boolean).join(' '), FALLBACK_BYTES);
  return { text, blocks, unfurl_links: false, unfurl_media: false, metadata: marked(ACT_MARK) };
}

/**
 * Returns metadata that marks a post as made on behalf of a person. Later reads of the thread then do not take the post
 * for an answer (attack S19: instructions in earlier messages).
 */
export const marked = (mark: typeof ACT_MARK | typeof SHARE_MARK) => ({
  event_type: mark,
  event_payload: {},
});

/** Returns the mention of a person. */
export const nameOf = (user: string): string => `<@${user}>`;

/** Returns an agent's name, escaped for the app's own lines. */
export const agentLabel = (agent: AgentName): string => asMrkdwn(label(agent, BUTTON, '–'));
