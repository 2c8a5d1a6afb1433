/** The buttons and menus under an answer. */

import { type ActionName, press } from '../../../src/kit.ts';
import { isPrivate } from '../private.ts';
import type { SlackAction } from '../receive/events.ts';
import { readAction } from '../render/actions.ts';
import type { Scene } from './deps.ts';
import { pressFeedback } from './feedback.ts';
import { keepPlace, replyPress } from './replies.ts';
import { openShare } from './share.ts';
import { openSources } from './sources.ts';
import { tell } from './tell.ts';
import { words } from './words.ts';

/** Resolves when the bridge has it, or the person was told why not. */
export async function pressReply(scene: Scene, action: ActionName, pressed: SlackAction): Promise<void> {
  const read = readAction(pressed);
  if (read === undefined) return void (await tell(scene, words.stale));
  const { ts } = pressed;
  const made = replyPress(scene, read, { action, ts });
  if (isPrivate(read.reply) && made.context.isHere) await keepPlace(scene, made.press.thread);
  switch (action) {
    case 'sources':
      return openSources(scene, read, ts);
    case 'share':
      return openShare(scene, pressed);
    case 'feedback':
      return pressFeedback(scene, made, pressed.value);
    default: {
      const { kind, sentence } = await press(made.press, made.context);
      if (kind !== 'done') await tell(scene, sentence);
    }
  }
}

/** True if a press only opens a form, so that its acknowledgement need not wait for anything. */
export function opensForm(action: ActionName): boolean {
  return action === 'sources' || action === 'share';
}
