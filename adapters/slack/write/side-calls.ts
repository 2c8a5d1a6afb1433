/** A reply's calls for its status and its images. Pure. */

import type { LadderView, Media } from '../../../src/kit/ladder.ts';
import { isFinal, type Move, type Outcome, type ReplyDocument } from '../../../src/kit.ts';
import {
  familyOf,
  type Of,
  SESSION_STATUS,
  type SideCall,
  type SlackScreen,
  textFamilies,
  type Upload,
} from './screen.ts';

/** Maximum number of images uploaded for one reply; names are listed for the others. */
const MAX_IMAGES = 10;
/** Maximum consecutive uploads with an unknown outcome. After that, the message shows the image's name only. */
const MAX_UPLOADS = 2;
/** Maximum checks of an uploaded image, at least 0.4 s apart. */
const MAX_LOOKS = 15;
/**
 * Maximum times that an image is tried again after Slack refused the message with it. While Slack processes an upload,
 * it may refuse blocks with the image although it already reports the image's type.
 */
const MAX_AGAIN = 3;
/** Maximum attempts to clear the status if the outcome of each is unknown. */
const MAX_STATUS = 3;

/** Calls that a reply reserves from the rate limit, so that it can always clear its status. */
const STATUS_NEEDS = { [SESSION_STATUS]: 1 };

const move = (call: SideCall, essential: boolean, needs?: Move['needs']): Move => ({
  family: familyOf(call),
  essential,
  call,
  ...(needs && { needs }),
});

export function ownCalls(
  { screen, document }: LadderView<SlackScreen>,
  text: readonly Move[],
): readonly Move[] {
  // A look-up may have to wait for the rate limit. Show a status until the look-up is made.
  const seeks = text.some(({ family }) => family === textFamilies.find);
  if (seeks && !isFinal(document) && !document.postponed) return statusOn(screen, document);
  if (text.length > 0) return [];
  const isOver = screen.gone || document.state === 'withdrawn';
  const upload = isOver ? undefined : nextUpload(screen, document);
  if (upload !== undefined) return [upload];
  const again = isOver ? undefined : imageAgain(screen, document);
  if (again !== undefined) return [again];
  if (isFinal(document) || document.postponed) return statusOff(screen, document);
  return isOver ? [] : statusOn(screen, document);
}

function statusOn(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  if (document.state !== 'thinking' || screen.parts.some(({ left }) => !left)) return [];
  const line = move({ kind: 'status', document, way: 'line', on: true }, false);
  const session = move({ kind: 'status', document, way: 'session', on: true }, false, STATUS_NEEDS);
  if (screen.status === undefined) return [session, line];
  // After a takeover, many replies need a status at once. Offer the line too, because Slack allows more calls per
  // minute for the line than for the status of a session.
  if (screen.status === 'assumed') return screen.line === undefined ? [session, line] : [];
  return screen.status === 'sessionless' ? [line] : [];
}

function statusOff(screen: SlackScreen, document: ReplyDocument): readonly Move[] {
  // Slack itself clears the status line when the app posts a message.
  const mayHaveLine = screen.status === 'line' || (screen.status === 'assumed' && screen.line !== 'cleared');
  if (mayHaveLine && screen.parts.length === 0)
    return [move({ kind: 'status', document, way: 'line', on: false }, true)];
  return mayHaveSession(screen) ? [move({ kind: 'status', document, way: 'session', on: false }, true)] : [];
}

/**
 * True if the thread's session may show that the app works, so that the status must be cleared. The value `assumed`
 * means that an earlier process may have set the status; if it did not, clearing it only costs one call.
 */
export const mayHaveSession = ({ status }: Pick<SlackScreen, 'status'>): boolean =>
  status === 'session' || status === 'assumed';

export function nextUpload({ images }: SlackScreen, document: ReplyDocument): Move | undefined {
  const all = document.media.filter(({ kind }) => kind === 'image').slice(0, MAX_IMAGES);
  const media = all.find(({ id }) => isOnItsWay(images[id]));
  return media && move(stepOf(images[media.id], { document, media }), isFinal(document));
}

/** Returns a further check of an image that is missing only because Slack refused the message with it. */
function imageAgain({ parts, images, again = 0 }: SlackScreen, document: ReplyDocument): Move | undefined {
  const last = parts.at(-1);
  if (!isFinal(document) || last?.form !== 'imageless' || last.left || again >= MAX_AGAIN) return undefined;
  for (const media of document.media) {
    const image = images[media.id];
    if (image?.state === 'ready')
      return move({ kind: 'look', document, media, file: image.file, looks: 0 }, true);
  }
  return undefined;
}

/** Returns the screen with the last message in its richest form, which shows the images. */
function withImages(screen: SlackScreen): SlackScreen {
  const last = screen.parts.at(-1);
  if (last?.form !== 'imageless') return screen;
  const parts = screen.parts.with(-1, { ...last, form: 'rich', sure: false });
  return { ...screen, parts, again: (screen.again ?? 0) + 1 };
}

const isOnItsWay = (upload: Upload | undefined): boolean =>
  upload === undefined || upload.state === 'sent' || upload.state === 'digested';

function stepOf(known: Upload | undefined, of: { document: ReplyDocument; media: Media }): SideCall {
  if (known?.state === 'sent') return { kind: 'complete', ...of, file: known.file };
  if (known?.state === 'digested') return { kind: 'look', ...of, file: known.file, looks: known.looks };
  return { kind: 'upload', ...of };
}

export function afterSideCall(screen: SlackScreen, call: SideCall, outcome: Outcome): SlackScreen {
  if (outcome.kind === 'refused' && (outcome.why === 'rate' || outcome.why === 'busy')) return screen;
  if (call.kind === 'status') return afterStatus(screen, call, outcome);
  const { id } = call.media;
  const failed: Upload = { state: 'failed' };
  if (outcome.kind === 'refused') return withImage(screen, id, failed);
  if (call.kind === 'look') {
    if (outcome.kind === 'done' && outcome.id !== undefined)
      return withImages(withImage(screen, id, { state: 'ready', file: outcome.id }));
    const looks = call.looks + 1;
    return withImage(screen, id, looks < MAX_LOOKS ? { state: 'digested', file: call.file, looks } : failed);
  }
  if (outcome.kind === 'unknown') {
    const failures = screen.failures + 1;
    return failures <= MAX_UPLOADS ? { ...screen, failures } : withImage(screen, id, failed);
  }
  if (call.kind === 'complete')
    return withImage(screen, id, { state: 'digested', file: call.file, looks: 0 });
  return withImage(screen, id, outcome.id === undefined ? failed : { state: 'sent', file: outcome.id });
}

function afterStatus(screen: SlackScreen, { way, on }: Of<'status'>, outcome: Outcome): SlackScreen {
  // Record the line whatever the outcome: Slack itself clears a line after two minutes (reference of
  // assistant.threads.setStatus).
  if (screen.status === 'assumed' && way === 'line') return { ...screen, line: on ? 'set' : 'cleared' };
  if (outcome.kind === 'refused' && on) return withStatus(screen, way === 'session' ? 'sessionless' : 'none');
  // After an unknown outcome, Slack may show the status. Record it, so that it is cleared at the end of the reply.
  if (on) return withStatus(screen, way);
  if (outcome.kind !== 'unknown') return withStatus(screen, undefined);
  // Give up after some attempts: Slack clears a status line by itself, and a complete answer must not block its thread.
  const failures = screen.failures + 1;
  return failures < MAX_STATUS ? { ...screen, failures } : withStatus({ ...screen, failures: 0 }, undefined);
}

export function withStatus({ status: _, ...screen }: SlackScreen, status: string | undefined): SlackScreen {
  return status === undefined ? screen : { ...screen, status };
}

function withImage(screen: SlackScreen, media: string, upload: Upload): SlackScreen {
  return { ...screen, failures: 0, images: { ...screen.images, [media]: upload } };
}

/** True if this stop of the stream also ends the session's "working" status. */
export const activates = ({ why, document }: Pick<Of<'stop'>, 'why' | 'document'>): boolean =>
  why === 'end' || document.state === 'withdrawn';
