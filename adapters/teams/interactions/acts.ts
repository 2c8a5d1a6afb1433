/** Posts a question that a person asked with a button, so that it stands above its answer. */

import { asWords, ownerIn, type ReplyEvents, shortened } from '../../../src/kit/ladder.ts';
import type { Message } from '../../../src/kit.ts';
import { type ActKind, activityOf, actOf } from '../ids.ts';
import { sendOnce } from '../inbound/posts.ts';
import { isPrivate } from '../private.ts';
import { bareMessage, type TeamsMessage } from '../render/message.ts';
import { label } from '../render/runs.ts';
import type { InteractionDeps } from './deps.ts';
import { words } from './words.ts';

/** Time for which a posted question is remembered, in milliseconds: as long as the bridge keeps the question. */
const SHOWN_MS = 24 * 60 * 60_000;

type ActingDeps = Pick<InteractionDeps, 'host' | 'places' | 'posts' | 'background'>;

/** Returns handlers that post the question of a press before the reply to the question begins. */
export function postingActs(deps: ActingDeps): ReplyEvents {
  return {
    async before({ message }) {
      const kind = actOf(message.id);
      if (kind === undefined || isPrivate(message.thread)) return;
      await deps.background.result('posting the question above an answer', () => show(message, kind, deps));
    },
  };
}

async function show(message: Message, kind: ActKind, { host, places, posts }: ActingDeps): Promise<void> {
  const { thread } = message;
  const key = `act ${thread.tenant} ${thread.room} ${activityOf(message.id)}`;
  const place = await places.find(thread);
  if (place === undefined) return;
  const post = postOf(heads[kind](message), message.text);
  const note = { key, ttlMs: SHOWN_MS, owner: ownerIn(thread, message.sender.id) };
  await sendOnce(note, host.state, () => posts.send(place, post));
}

const HEAD_CHARS = 300;
const QUESTION_CHARS = 4_000;

/**
 * Returns the message that shows a question.
 * @param head names the asker and the agent; both names may contain any characters
 */
function postOf(head: string, question: string): TeamsMessage {
  const excerpt = shortened(question.trim(), QUESTION_CHARS);
  const lines = excerpt === '' ? [] : excerpt.split(/\r?\n/).map((each) => `> ${asWords(each)}`);
  const parts = [`**${asWords(label(head, HEAD_CHARS, '…'))}**`, lines.join('\n')];
  return bareMessage(parts.filter(Boolean).join('\n\n'), 'markdown');
}

const heads: Readonly<Record<ActKind, (message: Message) => string>> = {
  suggestion: ({ sender, agent }) => words.asks(sender.name, agent),
  same: ({ sender, agent }) => words.asksSame(sender.name, agent),
  mine: () => words.asksAlone,
  about: ({ quoted }) => words.asksAbout(quoted[0]?.author),
};
