/** Images of an answer on their way into Slack: the bytes first, then that they are whole. */

import { isFinal, type Media, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { move } from './calls.ts';
import type { SlackScreen } from './screen.ts';

/** Images of one reply that are uploaded; more are named. */
const MAX_IMAGES = 10;

export function nextUpload({ images }: SlackScreen, document: ReplyDocument): Move | undefined {
  const media = waitingImage(images, document.media);
  if (media === undefined) return undefined;
  const known = images[media.id];
  const call =
    known?.state === 'sent'
      ? ({ kind: 'complete', document, media, file: known.file } as const)
      : ({ kind: 'upload', document, media } as const);
  return move(call, isFinal(document));
}

function waitingImage(images: SlackScreen['images'], media: readonly Media[]): Media | undefined {
  const all = media.filter(({ kind }) => kind === 'image').slice(0, MAX_IMAGES);
  return all.find(({ id }) => images[id] === undefined || images[id].state === 'sent');
}
