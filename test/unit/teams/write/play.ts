/** Plays one reply in the fake Teams. */

import type { CallRecord } from '../../../fakes/teams/index.ts';
import { ReplyPlay } from '../../reply/ladder/play.ts';
import type { Kind, Rig, Ways } from './rig.ts';

/** Milliseconds between two calls; Teams limits streams to one call per second. */
const PACE_MS = 1_100;

export type Play = ReturnType<typeof playIn>;

export function playIn(
  rig: Rig,
  {
    kind: of = 'direct',
    turn = rig.ask(of),
    ...ways
  }: Ways & { kind?: Kind; turn?: ReturnType<Rig['ask']> } = {},
) {
  const play = new ReplyPlay({
    turn,
    writer: rig.writer(turn, ways),
    now: rig.now,
    pass: () => rig.pass(PACE_MS),
    store: (screen) => rig.screens.set(turn.id, screen),
  });
  const { room, key, kind } = turn.message.thread;
  /** Returns the calls in the turn's thread, without typing indicators. */
  const calls = (): readonly CallRecord[] =>
    rig.fake.log.calls.filter(
      ({ conversation, root, method }) =>
        conversation === room && (kind !== 'room' || root === key) && method !== 'typing',
    );
  /** Returns the methods of the calls that contain text, without the separate calls for cards. */
  const methods = (): readonly string[] =>
    calls().flatMap(({ method, asked }) => ('attachments' in asked && !('text' in asked) ? [] : [method]));
  return Object.assign(play, { calls, methods });
}
