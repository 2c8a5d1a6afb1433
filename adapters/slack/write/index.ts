/** Writes one reply into Slack: as a stream, by edits, or in one or two posts, as the budgets allow; or in private. */

import { isFinal, type ReplyWriter, type Screen, type ThreadRef, type Turn } from '../../../src/kit.ts';
import { isPrivate } from '../private.ts';
import { createReading } from '../render/reading.ts';
import { screenAfter } from './after.ts';
import { callOf } from './calls.ts';
import type { WriterDeps } from './deps.ts';
import { Extent } from './extent.ts';
import { nextMoves, type Setting } from './next.ts';
import { perform } from './perform.ts';
import { createPrivateWriter } from './private.ts';
import { BLANK, own, type SlackScreen } from './screen.ts';

export type { WriterDeps } from './deps.ts';

export function createWriter(turn: Turn, deps: WriterDeps): ReplyWriter {
  return isPrivate(turn.message.thread) ? createPrivateWriter(turn, deps) : createThreadWriter(turn, deps);
}

function createThreadWriter(turn: Turn, deps: WriterDeps): ReplyWriter {
  const setting: Setting = { streams: mayStream(turn.message.thread, deps), extent: new Extent() };
  const reading = createReading();
  return {
    ends: { 'chat.postMessage': 1 },
    // An earlier process may have posted without living to record it.
    blank: () => (turn.attempt > 1 ? lookedUp(maybeThinking(BLANK)) : BLANK),
    next: (screen, document, now) => nextMoves(own(screen), document, now, setting),
    after(screen, move, outcome, now) {
      const call = callOf(move);
      const after = screenAfter(own(screen), call, outcome, now);
      if (after.gone) return after;
      const rest = nextMoves(after, call.document, now, setting);
      return { ...after, finished: isFinal(call.document) && rest.length === 0 };
    },
    perform: (move, signal) => perform(callOf(move), { turn, deps, reading, signal }),
    resume: (screen) => resumed(own(screen)),
  };
}

function mayStream({ kind, tenant }: ThreadRef, { streamsIn, streaming }: WriterDeps): boolean {
  const wanted = streamsIn === 'always' || (streamsIn === 'auto' && kind === 'direct');
  return wanted && streaming.has(tenant);
}

/** Nothing is sure any more: another process may have written since, and posted what was not recorded. */
function resumed(screen: SlackScreen): Screen {
  if (screen.gone) return { ...screen, finished: true };
  const parts = screen.parts.map((part) => ({ ...part, sure: false }));
  return lookedUp(maybeThinking({ ...screen, parts, finished: false }));
}

/** A status that an earlier process set need not have been recorded; taking one away that is not there costs a call. */
function maybeThinking(screen: SlackScreen): SlackScreen {
  return { ...screen, status: screen.status ?? 'session' };
}

/** Where a further message would begin, one may be already. */
function lookedUp(screen: SlackScreen): SlackScreen {
  const last = screen.parts.at(-1);
  const begin = last === undefined ? { at: 0, fresh: true } : last.onward;
  return begin === undefined ? screen : { ...screen, lost: screen.lost ?? { begin, live: true } };
}
