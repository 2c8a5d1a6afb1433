/** A press on a button of a reply. */

import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { ReplyDocument, ThreadRef } from '../../../src/kit.ts';
import { isFor } from '../private.ts';
import type { SlackAction } from '../receive/events.ts';
import type { ReadAction } from '../render/actions.ts';
import { type Scene, threadAt } from './deps.ts';

export interface Press extends ReadAction {
  readonly action: SlackAction;
  readonly thread: ThreadRef;
}

/** Unique for a person and a press; no space, so that it can be part of a thread's key. */
export function pressKey({ by }: Pick<Scene, 'by'>, { ts }: SlackAction): string {
  return `${by.user}-${ts}`;
}

/**
 * The reply that a button or a form names. They come back from outside, so that it counts only in its own thread, and
 * another's private answer for nobody (attacks S16, S17).
 */
export async function replyOf(scene: Scene, reply: ReplyRef): Promise<ReplyDocument | undefined> {
  const { by, workspace, deps } = scene;
  return isFor(by.user, reply) ? deps.host.reply(reply.turn, threadAt(workspace, reply)) : undefined;
}
