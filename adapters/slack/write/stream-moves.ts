/** A reply whose last message is a live stream: append, then stop. */

import { isFinal, type Media, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { newTasks } from './appended.ts';
import { type Call, move } from './calls.ts';
import type { Cut, Extent } from './extent.ts';
import type { Emitted, SlackScreen, Upload } from './screen.ts';

/** Milliseconds that a stream is used: Slack ends it after about five minutes. */
const STREAM_MS = 230_000;

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
  const added = newTasks(document, emitted);
  const taskBytes = emitted.taskBytes + added.taskBytes;
  const cut = extent.streamCut(document, part.begin, { shown: emitted.state, taskBytes });
  const ends = cut && { to: cut.to };
  const isNews = added.chunks.length > 0 || hasMoreText(emitted, { document, cut, extent });
  // The last text is sent with the stop, or appended now if the stop has to wait.
  const append = isNews ? [move({ kind: 'append', document, index, part, ...ends }, final)] : [];
  const { images } = screen;
  const stop = { kind: 'stop', document, index, part, images, ...ends } as const;
  if (cut !== undefined || (!final && now - part.openedAt >= STREAM_MS))
    return [move({ ...stop, why: 'rotate', activates: false }, true), ...append];
  if (!final) return append;
  const upload = nextUpload(screen, document);
  if (upload !== undefined) return [...append, upload];
  return [move({ ...stop, why: 'end', activates: true }, true), ...append];
}

interface Rest extends Pick<Streaming, 'document' | 'extent'> {
  readonly cut: Cut | undefined;
}

function hasMoreText({ state }: Emitted, { document, cut, extent }: Rest): boolean {
  const text = cut === undefined ? document.text : document.text.slice(0, cut.to);
  return state.at < text.length && extent.hasMore(text, state, isFinal(document) || cut !== undefined);
}

/** Images of one reply that are uploaded; more are named. */
const MAX_IMAGES = 10;

export function nextUpload({ images }: SlackScreen, document: ReplyDocument): Move | undefined {
  const media = waitingImage(images, document.media);
  if (media === undefined) return undefined;
  const known = images[media.id];
  return move(stepOf(known, { document, media }), isFinal(document));
}

function stepOf(known: Upload | undefined, of: { document: ReplyDocument; media: Media }): Call {
  if (known?.state === 'sent') return { kind: 'complete', ...of, file: known.file };
  if (known?.state === 'digested') return { kind: 'look', ...of, file: known.file, looks: known.looks };
  return { kind: 'upload', ...of };
}

function waitingImage(images: SlackScreen['images'], media: readonly Media[]): Media | undefined {
  const all = media.filter(({ kind }) => kind === 'image').slice(0, MAX_IMAGES);
  return all.find(({ id }) => isOnItsWay(images[id]));
}

const isOnItsWay = (upload: Upload | undefined): boolean =>
  upload === undefined || upload.state === 'sent' || upload.state === 'digested';
