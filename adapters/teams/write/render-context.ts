/**
 * Collects the data that rendering a reply needs in addition to its document: the reference for its buttons, and the
 * addresses of its images.
 */

import { type Media, offersCorrection, timeLimit } from '../../../src/kit/ladder.ts';
import { defined, isFinal, type Message, type ReplyDocument } from '../../../src/kit.ts';
import { actOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import { INLINE_IMAGE_BYTES, type Place, type RenderContext } from '../render/render-context.ts';
import type { Performing, WriterDeps } from './deps.ts';

/**
 * Maximum time to load all images of an answer, in milliseconds. An image that is not loaded by then is shown as a
 * link.
 */
const IMAGES_MS = 3_000;
/** Image types that Teams shows in a card. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif']);
/** Maximum images embedded in one answer. */
const MAX_IMAGES = 10;

/** Arguments of `renderContextWithImages`: the reply's question and thread, and dependencies that load images. */
export type RenderInputs = Pick<Performing, 'images' | 'signal'> & {
  readonly deps: Pick<WriterDeps, 'host' | 'format'>;
  readonly turn: { readonly message: Pick<Message, 'id' | 'thread' | 'agent'> };
};

/** Returns the render context without images. */
export function renderContextOf(
  { message }: RenderInputs['turn'],
  parts: RenderInputs['deps'],
): RenderContext {
  const { thread } = message;
  const { room, key, kind } = thread;
  // "Ask as me" is answered in the one-to-one chat, so this answer is private too.
  const isOwn = isPrivate(thread) || actOf(message.id) === 'mine';
  return {
    reply: { question: message.id, room, key, kind },
    format: parts.format,
    media: {},
    linkOf: (source, turn) => parts.host.sourceLink(source, { turn, thread }),
    agents: parts.host.agents(),
    namesNoAgent: message.agent === undefined,
    isPrivate: isOwn,
    offersAsSelf: kind !== 'direct' && !isOwn,
    offersCorrection: false,
  };
}

/** Returns the render context, with images once the reply has ended. Until then, images are shown as text. */
export async function renderContextWithImages(
  document: ReplyDocument,
  at: RenderInputs,
): Promise<RenderContext> {
  const context = renderContextOf(at.turn, at.deps);
  if (!isFinal(document)) return context;
  const offersAsSelf = context.offersAsSelf && at.deps.host.otherRights(at.turn.message.thread, document);
  const correctable = offersCorrection(document, at.turn.message.thread, at.deps.host.corrections);
  return { ...context, offersAsSelf, offersCorrection: correctable, media: await placesOf(document, at) };
}

async function placesOf(document: ReplyDocument, at: RenderInputs): Promise<Readonly<Record<string, Place>>> {
  const signal = AbortSignal.any([at.signal, timeLimit(IMAGES_MS)]);
  const images = document.media.filter(({ kind }) => kind === 'image').slice(0, MAX_IMAGES);
  const places = images.map(
    async (media) => [media.id, await placeOf(media, document, { ...at, signal })] as const,
  );
  const found = Object.fromEntries(await Promise.all(places));
  at.signal.throwIfAborted();
  return found;
}

/**
 * Returns where clients load an image from. Teams has no token of the platform, so small images are embedded, and for
 * all others the bridge makes signed links (attack S25: altered or guessed links).
 */
async function placeOf(
  media: Media,
  { turn, agent, account }: ReplyDocument,
  at: RenderInputs,
): Promise<Place> {
  if (agent === undefined) return defined({ link: media.link });
  const { host } = at.deps;
  const from = { turn, agent, ...defined({ account }) };
  const link = host.link(media, from) ?? media.link;
  const data = at.images.get(media.id) ?? (await dataOf(media, from, at));
  // An image whose loading was aborted is not recorded, so the next edit loads it again.
  if (!at.signal.aborted) at.images.set(media.id, data);
  return defined({ link, data: data || undefined });
}

type From = Parameters<RenderInputs['deps']['host']['openMedia']>[1];

/** Returns the image as a `data:` address; an empty string if it cannot be embedded. */
async function dataOf(media: Media, from: From, at: RenderInputs): Promise<string> {
  try {
    const { type, bytes } = await at.deps.host.openMedia(media, from, at.signal);
    const fits = SHOWN.has(type) && bytes.byteLength <= INLINE_IMAGE_BYTES;
    return fits ? `data:${type};base64,${Buffer.from(bytes).toString('base64')}` : '';
  } catch {
    return '';
  }
}
