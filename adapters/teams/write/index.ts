/** Writes one reply into Teams: as a stream in one-to-one chats, by edits elsewhere and wherever no stream is to be had. */

import { LRUCache } from 'lru-cache';
import { Extent } from '../../../src/kit/extent.ts';
import { isFinal, type ReplyWriter, type Screen, type Turn } from '../../../src/kit.ts';
import { emitterOf } from '../render/emit.ts';
import { screenAfter } from './after.ts';
import { callOf } from './calls.ts';
import { streamPlace, type WriterDeps } from './deps.ts';
import { lookOf } from './look.ts';
import { nextMoves } from './next.ts';
import { perform } from './perform.ts';
import { BLANK, cardsOf, own, type TeamsPart, type TeamsScreen } from './screen.ts';
import type { Setting } from './setting.ts';
import { settled } from './settled.ts';
import { lostFrom } from './shapes.ts';

export type { WriterDeps } from './deps.ts';

export function createWriter(turn: Turn, deps: WriterDeps): ReplyWriter {
  const setting = settingOf(turn, deps);
  const streamed = new Map<string, string>();
  const images = new Map<string, string>();
  const unanswered = {};
  return {
    // An earlier process may have written without living to record it.
    blank: () => (turn.attempt > 1 ? doubted(blank(setting), turn, setting) : blank(setting)),
    next: (screen, document, now) =>
      nextMoves(settled(own(screen), document, setting), document, now, setting),
    after(screen, move, outcome, now) {
      const call = callOf(move);
      const { document } = call;
      const after = screenAfter(settled(own(screen), document, setting), call, { outcome, now, setting });
      if (after.gone) return { ...after, finished: true };
      const rest = nextMoves(settled(after, document, setting), document, now, setting);
      return { ...withBeside(after), finished: isFinal(document) && rest.length === 0 };
    },
    perform: (move, signal) => perform(callOf(move), { turn, deps, streamed, unanswered, images, signal }),
    resume: (screen) => resumed(own(screen), turn, setting),
  };
}

/** It is looked at again when it is time to say that an answer is being made. */
function blank({ thinksAloudAt: reviewAt }: Setting): TeamsScreen {
  return reviewAt === undefined ? BLANK : { ...BLANK, reviewAt };
}

/** Maximum marks of cards that are remembered. */
const MARKS = 32;
/** Milliseconds in which most answers begin; whoever waits is told within 5 s. */
const THINKS_ALOUD_MS = 3_000;

/** Cards are recorded at once as texts are: another process could not find them again. */
function withBeside({ beside: _, ...screen }: TeamsScreen): TeamsScreen {
  const beside = cardsOf(screen);
  return beside.length === 0 ? screen : { ...screen, beside };
}

function settingOf(turn: Turn, deps: WriterDeps): Setting {
  const { thread } = turn.message;
  const isOneToOne = thread.kind === 'direct' && !deps.isPrivate(thread);
  const emitter = emitterOf(deps.format);
  return {
    streams: isOneToOne && deps.streaming.has(streamPlace(thread)),
    looksUp: thread.kind !== 'direct' && deps.graph !== undefined,
    ...(thread.kind === 'room' && { thinksAloudAt: deps.host.clock.now() + THINKS_ALOUD_MS }),
    extent: new Extent(emitter),
    emitter,
    look: lookOf(turn, deps),
    marks: new LRUCache({ max: MARKS }),
  };
}

/** Nothing is sure any more: another process may have written since, and sent what was not recorded. */
function resumed(screen: TeamsScreen, turn: Turn, setting: Setting): Screen {
  if (screen.gone) return { ...screen, finished: true };
  const parts = screen.parts.map(unsure);
  const open = { ...screen, parts, finished: false };
  return turn.attempt > 1 ? doubted(open, turn, setting) : open;
}

function unsure(part: TeamsPart): TeamsPart {
  const { card } = part;
  const doubted = card === undefined ? part : { ...part, card: { ...card, sure: false } };
  return part.stopped === undefined ? { ...doubted, sure: false } : doubted;
}

/** Where a further message would begin, one may be already; a chat takes no second stream beside one that is open. */
function doubted(screen: TeamsScreen, turn: Turn, { looksUp }: Setting): TeamsScreen {
  const last = screen.parts.at(-1);
  const begin = last === undefined ? { at: 0, fresh: true } : last.onward;
  const alone: TeamsScreen = { ...screen, streamless: true };
  if (begin === undefined || !looksUp || alone.lost !== undefined) return alone;
  return lostFrom(alone, { begin, says: true, now: turn.keptAt });
}
