/**
 * Writes one reply into Teams with the ladder. Tells the ladder how to show a reply (streams in one-to-one chats, edits
 * elsewhere), how much fits into a message, and what to store.
 */

import {
  changedMarks,
  createLadder,
  Extent,
  hasWords,
  isLater,
  type LadderView,
  type Surface,
  type TellingWriter,
} from '../../../src/kit/ladder.ts';
import { isFinal, type Move, type Outcome, type Turn } from '../../../src/kit.ts';
import { TYPING_MS } from '../limits.ts';
import { isCopilot, isPrivate } from '../private.ts';
import { emitterOf } from '../render/emit.ts';
import { type Form, weaker } from '../render/render-context.ts';
import {
  type Cards,
  cardAfter,
  cardFound,
  createCards,
  goneFrom,
  moveOf,
  repeatedPart,
  uncard,
  uncardAfter,
  withoutCard,
} from './cards.ts';
import { posted } from './content.ts';
import { streamPlace, type WriterDeps } from './deps.ts';
import { markOf } from './find.ts';
import { perform } from './perform.ts';
import { renderContextOf } from './render-context.ts';
import {
  BLANK,
  type Call,
  type Of,
  type SideCall,
  type TeamsPart,
  type TeamsScreen,
  withCards,
} from './screen.ts';
import { streamSurface } from './stream.ts';

type View = LadderView<TeamsScreen>;

/**
 * Time until "Thinking" is posted in a channel, in milliseconds. Most answers begin earlier, and a message must appear
 * within 5 s.
 */
const THINKING_AFTER_MS = 3_000;
/**
 * Lower limit of `TeamsScreen.chars`. If a message with a text this short is still too large, its text is not the
 * reason.
 */
const LEAST_CHARS = 2_500;

/**
 * Number of look-ups that find no message, after which the message counts as not posted. One is not enough, because
 * Graph may show a new message late.
 */
const MAX_MISSES = 2;
/**
 * Number of failed look-ups after which the message is not looked up again, and it stays unknown whether it was posted.
 * Lower than the number of failures after which the reply is given up.
 */
const MAX_FAILURES = 5;

const FAMILIES: Surface['families'] = {
  start: 'stream',
  append: 'stream',
  stop: 'stream',
  post: 'activity',
  update: 'activity',
  delete: 'activity',
  find: 'lookup',
};

export type { WriterDeps } from './deps.ts';

export const createWriter = (turn: Turn, deps: WriterDeps): TellingWriter =>
  createLadder(turn, teamsSurface(turn, deps));

function teamsSurface(turn: Turn, deps: WriterDeps): Surface {
  const { thread } = turn.message;
  const emitter = emitterOf(deps.format);
  const extent = new Extent(emitter);
  const cards = createCards(renderContextOf(turn, deps));
  // Teams has streams in one-to-one chats only. Microsoft 365 Copilot has streams, but no edits.
  const copilot = isCopilot(thread);
  const hasStreams = copilot || (thread.kind === 'direct' && !isPrivate(thread));
  const streams = hasStreams && deps.streaming.has(streamPlace(thread));
  // Channels show no typing indicators (Microsoft's staff in MicrosoftDocs/msteams-docs, issue 1451), so the bridge
  // posts a message that says "Thinking".
  const isRoom = thread.kind === 'room';
  const thinkingAt = isRoom ? deps.host.clock.now() + THINKING_AFTER_MS : Number.POSITIVE_INFINITY;
  const looksUp = thread.kind !== 'direct' && !copilot && deps.graph !== undefined;
  const run = { failures: 0, sideFailures: 0, missing: 0 };
  const performing = { turn, deps, run, images: new Map() };
  return {
    families: FAMILIES,
    emitter,
    stream: streamSurface(emitter, copilot ? 'rotate' : 'late'),
    ...(looksUp && { search: { misses: MAX_MISSES, failures: MAX_FAILURES, always: false } }),
    leastChars: LEAST_CHARS,
    blank: () => (isRoom ? { ...BLANK, reviewAt: thinkingAt } : BLANK),
    resumed(screen: TeamsScreen) {
      const known = withCards(screen, screen.parts.map(resumedPart));
      // The stream of an earlier process may still be open, and a chat accepts only one open stream.
      return turn.attempt > 1 ? { ...known, streamless: true } : known;
    },
    ways({ screen, document }, begin, now) {
      const more = hasWords(emitter, document.text, begin);
      const isFirst = screen.parts.length === 0;
      const { postponed, steps } = document;
      if (streams && !screen.streamless && !postponed && (more || isFirst)) return [{ kind: 'stream' }];
      if (copilot) return [];
      const thinks = isFirst && !screen.hushed && (postponed || steps.length > 0 || now >= thinkingAt);
      return more || thinks ? [{ kind: 'edits' }] : [];
    },
    cut({ screen, document }: View, message) {
      const { emitted } = message;
      if (emitted?.full && extent.hasMore(document.text, emitted.state, isFinal(document)))
        return emitted.state.at;
      return extent.cut(document, message, screen.chars)?.to;
    },
    editableKey: ({ document }, part) =>
      isFinal(document) ? changedMarks(document, part).join(' ') : part.looks,
    simpler: (form: Form) => (form === 'plain' ? undefined : weaker[form]),
    first(what, { screen, document }: View, index) {
      // The card with the tables of a finished message is posted before the next message begins.
      if (what === 'post') return cards.of({ screen, document }, index);
      const id = what === 'delete' ? screen.parts[index]?.card?.id : undefined;
      return id === undefined ? undefined : uncard(document, id, true);
    },
    ownCalls: ownCalls(cards, { typing: !isRoom, alive: copilot }),
    afterOwn: afterSideCall,
    afterGone: goneFrom,
    card: cardFound,
    textMark: (call: Of<'post'>) => markOf(posted(call, call.begin, performing).text),
    perform: (call: Call, signal) => perform(call, { ...performing, signal }),
  };
}

/**
 * Returns a function that chooses at most one call that does not write text: a call that sends or deletes a card, or
 * that shows a typing indicator.
 */
const ownCalls =
  (cards: Cards, shows: { readonly typing: boolean; readonly alive: boolean }): Surface['ownCalls'] =>
  (view: View, text, now) => {
    const { screen, document } = view;
    if (screen.gone) return (screen.orphans ?? []).slice(0, 1).map((id) => uncard(document, id, true));
    const isBusy = text.length > 0 && (isFinal(document) || screen.lost !== undefined);
    const last = screen.parts.at(-1);
    if (last?.live) return shows.alive && text.length === 0 ? alive(view, last, now) : [];
    if (isBusy) return [];
    // The card has its own rate limit, so it can be sent while the text waits.
    const card = screen.lost === undefined ? cards.next(view) : undefined;
    if (card !== undefined || text.length > 0) return card === undefined ? [] : [card];
    const repeated = screen.lost === undefined ? repeatedPart(screen) : undefined;
    if (repeated !== undefined) return [uncard(document, repeated.id, true)];
    const waits = !isFinal(document) && screen.parts.length === 0 && now >= (screen.reviewAt ?? 0);
    return waits && shows.typing ? [typing(document)] : [];
  };

/**
 * Maximum silence in a stream of Microsoft 365 Copilot, in milliseconds. After 45 s without an update, it shows an error
 * (Microsoft's page on asynchronous messages in custom engine agents). Microsoft's SDKs send one after 35 s.
 * The pacer looks at an open stream every 5 s.
 */
const SILENCE_MS = 25_000;

/** Returns the call that repeats what the stream shows, if the stream has been silent for `SILENCE_MS`. */
function alive({ screen, document }: View, part: TeamsPart, now: number): readonly Move[] {
  const { emitted } = part;
  const at = Math.max(part.openedAt, screen.reviewAt ?? 0);
  if (emitted === undefined || isFinal(document) || now < at + SILENCE_MS) return [];
  const index = screen.parts.length - 1;
  return [moveOf('stream', false, { kind: 'alive', document, index, part: { ...part, emitted } })];
}

/** Returns the call that shows the typing indicator. Teams hides the indicator after a few seconds. */
const typing = (document: View['document']): Move => moveOf('typing', false, { kind: 'typing', document });

function afterSideCall(screen: TeamsScreen, call: SideCall, outcome: Outcome, now: number): TeamsScreen {
  if (isLater(outcome)) return screen;
  if (call.kind === 'card') return cardAfter(screen, call, outcome, now);
  if (call.kind === 'uncard') return uncardAfter(screen, call, outcome);
  if (call.kind === 'alive') return outcome.kind === 'done' ? aliveAfter(screen, call, now) : screen;
  return { ...screen, reviewAt: now + TYPING_MS };
}

function aliveAfter(screen: TeamsScreen, { index, part }: Of<'alive'>, now: number): TeamsScreen {
  const { sequence } = part.emitted;
  const repeated = { ...part, emitted: { ...part.emitted, sequence: sequence + 1 } };
  return { ...screen, reviewAt: now, parts: screen.parts.with(index, repeated) };
}

/**
 * Marks the card as unsure, because an earlier process may have changed it. If the card was sent inside the message of
 * the text, forgets it, because the next edit removes the card from that message.
 */
function resumedPart(part: TeamsPart): TeamsPart {
  const { card } = part;
  if (card === undefined) return part;
  const isInside = card.id === undefined && card.doubted === undefined;
  return isInside ? withoutCard(part) : { ...part, card: { ...card, sure: false } };
}
