/**
 * A writer that streams, or else edits, or else posts once, like Slack's writer. It renders no text, so that tests see
 * only the decisions of the budgets.
 */

import type { Part } from '../../../src/core/screen.ts';
import type { Screen } from '../../../src/kit/ladder.ts';
import { isFinal, type Move, type Outcome, type ReplyDocument, type ReplyWriter } from '../../../src/kit.ts';

/** Minimum characters of a first part that is posted before the answer is complete. */
const READABLE_CHARS = 240;

type Call =
  | { readonly kind: 'start' | 'append' | 'update' | 'stop'; readonly document: ReplyDocument }
  | {
      readonly kind: 'post';
      readonly rung: 'edits' | 'once';
      readonly document: ReplyDocument;
      readonly from: number;
    };

export interface Wire {
  /** Sends a call; resolves with the seconds to wait if the call is refused. */
  send(method: string): Promise<number | undefined>;
}

const METHODS = {
  start: 'chat.startStream',
  append: 'chat.appendStream',
  stop: 'chat.stopStream',
  update: 'chat.update',
  post: 'chat.postMessage',
} as const;

export type Means = 'native' | 'edits' | 'once';

export function createLadderWriter(wire: Wire, means: readonly Means[]): ReplyWriter {
  return {
    ends: { 'chat.postMessage': 1 },
    blank: () => ({ rung: 'once', parts: [], finished: false }),
    next: (screen, document) => nextMoves(screen, document, means),
    after,
    async perform({ call }): Promise<Outcome> {
      const retryAfter = await wire.send(METHODS[(call as Call).kind]);
      if (retryAfter === undefined) return { kind: 'done', id: 'm' };
      return { kind: 'refused', why: 'rate', retryAfterMs: retryAfter * 1_000 };
    },
    resume: (screen) => screen,
  };
}

const move = (call: Call, essential: boolean, needs?: Move['needs']): Move => ({
  family: METHODS[call.kind],
  essential,
  call,
  ...(needs && { needs }),
});

function nextMoves(screen: Screen, document: ReplyDocument, means: readonly Means[]): readonly Move[] {
  const part = screen.parts.at(-1);
  if (screen.finished) return [];
  if (part === undefined) return open(document, means);
  const grew = (part.shown?.length ?? 0) < document.text.length;
  const final = isFinal(document);
  if (screen.rung === 'native') {
    const append = grew ? [move({ kind: 'append', document }, final)] : [];
    // The call that stops a stream also contains the last text.
    return final ? [move({ kind: 'stop', document }, true), ...append] : append;
  }
  const update: Call = { kind: 'update', document };
  if (screen.rung === 'edits') {
    if (final) return [move(update, true)];
    return grew ? [move(update, false, { 'chat.update': 1 })] : [];
  }
  const rest = part.shown?.length ?? 0;
  if (final && !grew) return [];
  const climb = means.includes('edits')
    ? [move(update, final, final ? undefined : { 'chat.postMessage': 0, 'chat.update': 1 })]
    : [];
  return final ? [...climb, move({ kind: 'post', rung: 'once', document, from: rest }, true)] : climb;
}

function open(document: ReplyDocument, means: readonly Means[]): readonly Move[] {
  const final = isFinal(document);
  if (document.text === '') return [];
  const once: Call = { kind: 'post', rung: 'once', document, from: 0 };
  if (final) return [move(once, true)];
  const ladder: Move[] = [];
  if (means.includes('native')) {
    const needs = { 'chat.postMessage': 0, 'chat.stopStream': 1, 'chat.update': 1 };
    ladder.push(move({ kind: 'start', document }, false, needs));
  }
  if (means.includes('edits'))
    ladder.push(move({ ...once, rung: 'edits' }, false, { 'chat.postMessage': 0, 'chat.update': 1 }));
  if (means.includes('once') && document.text.length >= READABLE_CHARS)
    ladder.push(move(once, false, { 'chat.postMessage': 1 }));
  return ladder;
}

function after(screen: Screen, made: Move, outcome: Outcome, now: number): Screen {
  const call = made.call as Call;
  if (outcome.kind !== 'done') return screen;
  const { version, rewrites, text } = call.document;
  const part: Part = {
    id: 'm',
    from: 0,
    live: call.kind === 'start' || call.kind === 'append',
    openedAt: screen.parts[0]?.openedAt ?? now,
    sure: true,
    shown: { version, rewrites, length: text.length },
  };
  const rung =
    call.kind === 'start'
      ? 'native'
      : call.kind === 'post'
        ? call.rung
        : call.kind === 'update' && screen.rung === 'once'
          ? 'edits'
          : screen.rung;
  const whole = isFinal(call.document) && call.kind !== 'append';
  const finished = whole || (rung === 'once' && isFinal(call.document));
  return { rung, parts: [part], finished };
}
