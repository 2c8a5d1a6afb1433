/** Chooses the next step of an image upload: send the bytes, complete the upload, wait until Slack has processed it. */

import { isFinal, type Media, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { type Call, move } from './calls.ts';
import type { SlackScreen, Upload } from './screen.ts';

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
