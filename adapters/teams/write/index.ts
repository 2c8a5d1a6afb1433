/** Writes one reply into Teams: as a stream in one-to-one chats, by edits elsewhere and wherever there are no streams. */

import { createLadder, type ReplyWriter, type Turn } from '../../../src/kit.ts';
import type { WriterDeps } from './deps.ts';
import { teamsSurface } from './surface.ts';

export type { WriterDeps } from './deps.ts';

export const createWriter = (turn: Turn, deps: WriterDeps): ReplyWriter =>
  createLadder(turn, teamsSurface(turn, deps));
