/** Writes one reply on XMPP with the ladder: a message that grows by corrections, or one post when it is complete. */

import { isFinal, type Move, type Outcome, type Turn } from 'parley/kit';
import {
  changedMarks,
  createLadder,
  Extent,
  hasWords,
  isLater,
  type LadderView,
  type Surface,
  type TellingWriter,
} from 'parley/kit/ladder';
import { emitter, PART_CHARS } from '../render/message.ts';
import { type Call, type OwnCall, perform, type WriterDeps, type XmppScreen } from './perform.ts';

/**
 * Number of look-ups without a result after which a message counts as not posted, and number of failed look-ups after
 * which it stays unknown whether the message was posted. `always`: also at the first attempt of a turn, because the
 * process of an earlier turn may have been killed.
 */
const SEARCH = { misses: 1, failures: 7, always: true };
/** Maximum images of one answer. */
const MAX_IMAGES = 10;
const BLANK: XmppScreen = { rung: 'edits', parts: [], finished: false, form: 'styled', images: {} };

export const createWriter = (turn: Turn, deps: WriterDeps): TellingWriter =>
  createLadder(turn, surfaceOf(turn, deps));

function surfaceOf(turn: Turn, deps: WriterDeps): Surface {
  const extent = new Extent(emitter);
  return {
    ends: { message: 1 },
    families: {
      start: 'message',
      append: 'message',
      stop: 'message',
      post: 'message',
      update: 'correction',
      delete: 'message',
      find: 'lookup',
    },
    needs: { stream: {}, edits: { message: 0, correction: 1 }, once: { message: 1 } },
    emitter,
    stream: noStream,
    editsAtEnd: !deps.corrections,
    search: SEARCH,
    blank: () => BLANK,
    resumed: (screen: XmppScreen) => ({ ...screen, images: screen.images ?? {} }),
    ways({ screen, document }, begin) {
      const more = hasWords(emitter, document.text, begin);
      const waits = document.postponed === true && screen.parts.length === 0 && !screen.hushed;
      return waits || (deps.corrections && more) ? [{ kind: 'edits' }] : [];
    },
    cut: ({ document }, message) => extent.cut(document, message, PART_CHARS)?.to,
    editableKey: ({ document }, part) =>
      isFinal(document) ? changedMarks(document, part).join(' ') : part.looks,
    simpler: () => undefined,
    ownCalls: (view: LadderView<XmppScreen>, text) => ownCalls(view, text, turn.attempt > 1),
    afterOwn: (screen: XmppScreen, call: OwnCall, outcome) => afterOwn(screen, call, outcome),
    afterGone: (screen: XmppScreen) => ({ ...BLANK, finished: true, gone: true, images: screen.images }),
    perform: (call: Call, signal) => perform(call, { turn, deps, signal }),
  };
}

/** XMPP has no streams. The ladder calls none of these functions, because `ways` never offers a stream. */
const noStream: Surface['stream'] = {
  maxMs: 0,
  afterwards: 'late',
  appendsMeanwhile: false,
  start: (_document, begin) => ({ state: begin }),
  hasNews: () => false,
  advance: (_document, { emitted }) => emitted,
};

/** @param isTaken true if an earlier process may have sent images without recording that */
function ownCalls(
  { screen, document }: LadderView<XmppScreen>,
  text: readonly Move[],
  isTaken: boolean,
): readonly Move[] {
  if (screen.gone) return [];
  if (document.state === 'withdrawn') {
    const [id] = screen.lost === undefined && text.length === 0 ? (screen.beside ?? []) : [];
    return id === undefined ? [] : [move('message', { kind: 'unsend', document, id })];
  }
  if (text.length > 0) return [];
  if (!isFinal(document)) {
    const isQuiet = screen.parts.length === 0 && screen.status === undefined && !document.postponed;
    return isQuiet ? [{ ...move('state', { kind: 'state', document }), essential: false }] : [];
  }
  const images = document.media.filter(({ kind }) => kind === 'image').slice(0, MAX_IMAGES);
  const media = images.find(({ id }) => (screen.images[id] ?? 'maybe') === 'maybe');
  if (media === undefined) return [];
  const isAgain = isTaken || screen.images[media.id] === 'maybe';
  return [move('upload', { kind: 'image', document, media, isAgain })];
}

const move = (family: string, call: OwnCall): Move => ({ family, essential: true, call });

function afterOwn(screen: XmppScreen, call: OwnCall, outcome: Outcome): XmppScreen {
  if (isLater(outcome)) return screen;
  const { beside = [], images } = screen;
  if (call.kind === 'state') return { ...screen, status: 'composing' };
  if (call.kind === 'unsend') return { ...screen, beside: beside.filter((id) => id !== call.id) };
  const { id } = call.media;
  if (outcome.kind === 'done' && outcome.id !== undefined)
    return { ...screen, images: { ...images, [id]: 'sent' }, beside: [...beside, outcome.id] };
  const isUnknown = outcome.kind === 'unknown' && images[id] !== 'maybe';
  return { ...screen, images: { ...images, [id]: isUnknown ? 'maybe' : 'failed' } };
}
