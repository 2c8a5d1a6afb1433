/** A reply whose last message is a live stream: append, then stop. */

import { isFinal, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { move } from './calls.ts';
import type { Cut, Extent } from './extent.ts';
import { nextUpload } from './next-upload.ts';
import type { Emitted, SlackScreen } from './screen.ts';

/** Milliseconds that a stream is used: Slack ends it after about five minutes. */
export const STREAM_MS = 230_000;

interface Streaming {
  readonly screen: SlackScreen;
  readonly document: ReplyDocument;
  readonly now: number;
  readonly extent: Extent;
}

export function streamMoves({ screen, document, now, extent }: Streaming): readonly Move[] {
  const index = screen.parts.length - 1;
  const part = screen.parts[index];
  const emitted = part?.emitted;
  if (part === undefined || emitted === undefined) return [];
  const final = isFinal(document);
  const cut = extent.cut(document, part.begin, emitted.state);
  const { images } = screen;
  if (hasNews(emitted, { document, cut, extent })) {
    const call = { kind: 'append', document, index, part } as const;
    return [move(cut === undefined ? call : { ...call, to: cut.to }, final)];
  }
  const stop = {
    kind: 'stop',
    document,
    index,
    part,
    images,
    activates: final && cut === undefined,
  } as const;
  if (cut !== undefined || (!final && now - part.openedAt >= STREAM_MS)) {
    return [move({ ...stop, why: 'rotate' }, true)];
  }
  if (!final) return [];
  const upload = nextUpload(screen, document);
  return [upload ?? move({ ...stop, why: 'end' }, true)];
}

interface News extends Pick<Streaming, 'document' | 'extent'> {
  readonly cut: Cut | undefined;
}

function hasNews({ state, tasks }: Emitted, { document, cut, extent }: News): boolean {
  if (document.steps.some((step) => tasks[step.id] !== step.state)) return true;
  const text = cut === undefined ? document.text : document.text.slice(0, cut.to);
  return state.at < text.length && extent.hasMore(text, state, isFinal(document) || cut !== undefined);
}
