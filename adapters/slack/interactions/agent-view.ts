/** Slack's agent view, which is the direct message with the app: suggested prompts and thread titles. */

import type { Keyed } from '../../../src/kit/ladder.ts';
import type { ReplyDocument, ThreadRef, Turn } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private-places.ts';
import { label } from '../render/escape.ts';
import type { InteractionDeps } from './deps.ts';
import { words } from './words.ts';

/**
 * Slack's limits for suggested prompts. https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts
 */
const PROMPTS = 4;
const PROMPT_TITLE = 75;
const PROMPT_MESSAGE = 1_000;
const TITLE = 80;
/**
 * Time for which the bridge remembers that a thread has a title, in milliseconds: 30 days, as long as the agent's
 * conversation is kept.
 */
const TITLE_KEPT_MS = 30 * 24 * 60 * 60_000;

export async function offerPrompts(
  workspace: Workspace,
  { conversation, threadTs }: { conversation: string; threadTs?: string },
  { calls, host, settings }: InteractionDeps,
): Promise<void> {
  const byAgent = host
    .agents()
    .map(({ name }) => ({ title: words.promptTitle(name), message: words.promptMessage(name) }));
  const offered = settings.prompts.length > 0 ? settings.prompts : byAgent;
  const prompts = offered.slice(0, PROMPTS).map(({ title, message }) => ({
    title: label(title, PROMPT_TITLE, '–'),
    message: label(message, PROMPT_MESSAGE, '–'),
  }));
  if (prompts.length === 0) return;
  await calls.call(workspace, 'assistant.threads.setSuggestedPrompts', {
    channel_id: conversation,
    thread_ts: threadTs,
    title: words.promptsTitle,
    prompts,
  });
}

type Titled = Pick<ThreadRef, 'tenant' | 'room' | 'key'>;

const keyOf = ({ tenant, room, key }: Titled) => `titled ${tenant} ${room} ${key}`;

const ownerOf = ({ tenant, room, key: thread }: Titled) => ({ tenant, room, thread });

/** Names threads, and stores which threads have a name. Never overwrites a name that a person gave. */
export function createTitles(state: Keyed, calls: InteractionDeps['calls']) {
  return {
    /** Records that a person named the thread. */
    named: (thread: Titled): Promise<void> =>
      state.set(keyOf(thread), 'person', TITLE_KEPT_MS, ownerOf(thread)),
    /** Names the thread after its first question, once. */
    async name({ message: { thread } }: Turn, { question = '' }: ReplyDocument): Promise<void> {
      const title = label(question, TITLE, '');
      if (title === '') return;
      const untitled = await state.change(
        keyOf(thread),
        (by) => (by === undefined ? 'ours' : undefined),
        TITLE_KEPT_MS,
        ownerOf(thread),
      );
      if (untitled) await rename(thread, title, calls);
    },
  };
}

async function rename(thread: Titled, title: string, calls: InteractionDeps['calls']): Promise<void> {
  const place = { channel_id: thread.room, thread_ts: thread.key, title };
  const renamed = await calls.call(thread, 'agents.sessions.rename', place);
  if (renamed.kind !== 'done') await calls.call(thread, 'assistant.threads.setTitle', place);
}

/** True if the question is the first of a thread in the app's direct message, where threads have titles. */
export function beginsThread({ message, origin }: Turn): boolean {
  const { thread, id } = message;
  if (thread.kind !== 'direct' || isPrivate(thread)) return false;
  return (origin.kind === 'message' || origin.kind === 'act') && tsOf(id) === thread.key;
}
