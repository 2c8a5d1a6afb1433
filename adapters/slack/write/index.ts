/** Writes one reply into Slack: into its thread by the ladder, or in private. */

import { createLadder, type ReplyWriter, type Turn } from '../../../src/kit.ts';
import { isPrivate } from '../private.ts';
import type { WriterDeps } from './deps.ts';
import { createPrivateWriter } from './private.ts';
import { slackSurface } from './surface.ts';

export type { WriterDeps } from './deps.ts';

export function createWriter(turn: Turn, deps: WriterDeps): ReplyWriter {
  return isPrivate(turn.message.thread)
    ? createPrivateWriter(turn, deps)
    : createLadder(turn, slackSurface(turn, deps));
}
