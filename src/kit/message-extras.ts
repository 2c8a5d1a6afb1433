/** The calls of `messageWriter` that are not about the text of an answer: the sign that the app is writing, and images. */

import { isFinal, type Media, type ReplyDocument } from '../core/reply.ts';
import type { Move, Outcome } from '../core/screen.ts';
import type { Turn } from '../core/turn.ts';
import { isLater, lostNow } from '../reply/ladder/lost.ts';
import { FIRST, hashOf } from '../reply/ladder/part.ts';
import type { LadderScreen, View } from '../reply/ladder/surface.ts';

/** Maximum images of one answer. */
const MAX_IMAGES = 10;

/** The screen is stored, so its property names must not change. */
export interface MessageScreen extends LadderScreen {
  /** State of each image of the answer, by the id of the medium. `maybe`: a call's outcome was unknown. */
  readonly images?: Readonly<Record<string, 'sent' | 'failed' | 'maybe'>>;
}

/** A message that may have been posted. */
export interface SoughtMessage {
  /** `key` of the message. */
  readonly key: string;
  /** Earliest time at which the message may have been posted, in milliseconds since the epoch. */
  readonly since: number;
  /** Ids of other messages. */
  readonly known: readonly string[];
}

/** An image of an answer, which becomes a message of its own. */
export interface ReplyImage {
  readonly media: Media;
  /** Unique for this image, and the same if the call is repeated. */
  readonly key: string;
  readonly document: ReplyDocument;
}

/** The part of a chat that these calls need. */
export interface ExtraSurface {
  readonly turn: Turn;
  /**
   * Rate-limit family of all calls. If absent, each kind of call has its own: `post`, `edit`, `remove`, `find`, `typing`
   * and `upload`.
   */
  readonly family?: string;
  /** If absent, the chat cannot delete messages, and a deleted message says so. */
  remove?(id: string, signal: AbortSignal): Promise<Outcome>;
  /**
   * Looks up a message whose post had an unknown outcome: `done` with its id, or without one if the chat has no such
   * message. If absent, people may see such a message twice.
   */
  find?(sought: SoughtMessage, signal: AbortSignal): Promise<Outcome>;
  /** Shows that the app is writing. If present, nothing is posted before the first words of the answer. */
  typing?(signal: AbortSignal): Promise<Outcome>;
  /**
   * Posts an image of the answer as a message of its own. If it resolves with `invalid`, the answer only names the image.
   * If absent, the answer names all its images.
   */
  upload?(image: ReplyImage, signal: AbortSignal): Promise<Outcome>;
}

export type ExtraCall =
  | { readonly kind: 'typing'; readonly document: ReplyDocument }
  | {
      readonly kind: 'image';
      readonly document: ReplyDocument;
      readonly media: Media;
      /** True if an earlier call may have posted the image. */
      readonly isAgain: boolean;
    }
  /** Deletes the message of an image. */
  | { readonly kind: 'unsend'; readonly document: ReplyDocument; readonly id: string };

/** Returns the key of a message: its place in the reply that the turn writes. */
export const keyIn = ({ id, reply }: Turn, place: number | string): string => `${reply ?? id}/${place}`;

/** Returns the calls that follow once no call about the text is left. */
export function extraMoves({ screen, document }: View<MessageScreen>, by: ExtraSurface): readonly Move[] {
  const { parts, lost, status, beside = [], images = {} } = screen;
  const move = (own: string, essential: boolean, call: ExtraCall): readonly Move[] => [
    { family: by.family ?? own, essential, call },
  ];
  if (screen.gone) return [];
  if (document.state === 'withdrawn') {
    const [id] = lost === undefined && by.remove ? beside : [];
    return id === undefined ? [] : move('remove', true, { kind: 'unsend', document, id });
  }
  if (!isFinal(document)) {
    const isQuiet = parts.length === 0 && status === undefined && !document.postponed;
    return by.typing && isQuiet ? move('typing', false, { kind: 'typing', document }) : [];
  }
  const pictures = by.upload
    ? document.media.filter(({ kind }) => kind === 'image').slice(0, MAX_IMAGES)
    : [];
  const media = pictures.find(({ id }) => (images[id] ?? 'maybe') === 'maybe');
  if (media === undefined) return [];
  // An earlier process may have posted the image without recording it.
  const isAgain = by.turn.attempt > 1 || images[media.id] === 'maybe';
  return move('upload', true, { kind: 'image', document, media, isAgain });
}

export function afterExtra(screen: MessageScreen, call: ExtraCall, outcome: Outcome): MessageScreen {
  if (isLater(outcome)) return screen;
  const { beside = [], images = {} } = screen;
  if (call.kind === 'typing') return { ...screen, status: 'typing' };
  if (call.kind === 'unsend') return { ...screen, beside: beside.filter((id) => id !== call.id) };
  const { id } = call.media;
  if (outcome.kind === 'done' && outcome.id !== undefined)
    return { ...screen, images: { ...images, [id]: 'sent' }, beside: [...beside, outcome.id] };
  const isUnknown = outcome.kind === 'unknown' && images[id] !== 'maybe';
  return { ...screen, images: { ...images, [id]: isUnknown ? 'maybe' : 'failed' } };
}

/** Posts an image, unless an earlier call may have posted it and a look-up finds it. */
export async function postImage(
  { document, media, isAgain }: Extract<ExtraCall, { kind: 'image' }>,
  { turn, find, upload }: ExtraSurface,
  signal: AbortSignal,
): Promise<Outcome> {
  const key = keyIn(turn, `image-${hashOf(`${document.turn} ${media.id}`)}`);
  if (isAgain && find !== undefined) {
    const { since } = lostNow({ begin: FIRST, says: false }, turn.keptAt);
    const found = await find({ key, since, known: [] }, signal);
    const isBlind = found.kind === 'refused' && found.why === 'invalid';
    if (!isBlind && !(found.kind === 'done' && found.id === undefined)) return found;
  }
  return upload?.({ media, key, document }, signal) ?? { kind: 'refused', why: 'invalid' };
}
