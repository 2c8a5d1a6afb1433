/** Plays one reply in the fake Slack. */

import type { Move } from '../../../../src/kit.ts';
import { ReplyPlay } from '../../reply/ladder/play.ts';
import type { Rig } from './rig.ts';

export type Play = ReturnType<typeof playIn>;

export function playIn(rig: Rig, choose?: (moves: readonly Move[]) => Move | undefined, turn = rig.ask()) {
  const clock = { now: Date.UTC(2026, 10, 1) };
  const pass = () => {
    clock.now += 100;
  };
  const writer = rig.writer(turn);
  const play = new ReplyPlay({ turn, writer, now: () => clock.now, pass, ...(choose && { choose }) });
  const families = () =>
    play.moves.map(({ family }) => family.replace(/^(?:chat|files|agents\.sessions)\./, ''));
  return Object.assign(play, { clock, families });
}

/** Chooses the first move that needs only these families, as if the budgets allowed no other calls. */
export const only =
  (...families: readonly string[]) =>
  (moves: readonly Move[]): Move | undefined =>
    moves.find(({ family, needs = {} }) => {
      const held = Object.entries(needs).filter(([, slots]) => slots > 0);
      return [family, ...held.map(([name]) => name)].every((name) => families.includes(name));
    });

export const EDITS = only(
  'chat.postMessage',
  'chat.update',
  'chat.delete',
  'conversations.replies',
  'agents.sessions.setStatus',
  'files.getUploadURLExternal',
  'files.completeUploadExternal',
  'files.info',
);
