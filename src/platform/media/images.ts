import { imageSize } from 'image-size';
import { LRUCache } from 'lru-cache';
import type { OpenedMedia } from '../../core/agents/agent.ts';
import { imageTypeOf } from '../../core/agents/image.ts';
import type { Clock } from '../../core/clock.ts';
import type { MediaRef } from '../../core/reply.ts';
import { BridgeError } from '../../errors.ts';
import type { Authority } from '../authority.ts';
import { call, signed } from '../client.ts';
import { refusalOf } from '../envelope.ts';
import { readBytes } from '../exchange.ts';
import { tryJson } from '../json.ts';
import { MAX_MEDIA_BYTES } from '../limits.ts';
import type { CredentialKind } from '../operation.ts';
import { type Link, temporaryLinks } from '../operations/media.ts';
import { type Wiring, within } from '../wiring.ts';
import { addressOf, fetchMedia, unavailable } from './fetch.ts';

/** Maximum number of pixels of an image that is passed on to browsers (attack S10). */
const MAX_PIXELS = 50_000_000;

/**
 * Authentication for opening media: file ids need a token of the lite interface; addresses need the agent's own token.
 */
interface MediaAccess {
  readonly files: Authority | undefined;
  readonly addresses: Authority;
  readonly addressCredential: CredentialKind;
  /** Part of the cache key that separates the images and files of different agents and accounts. */
  readonly scope: string;
}

/** Opens an image of an answer. Throws `media-unavailable`, or the signal's reason if the signal aborts. */
export async function openImage(
  { wiring, cache }: { wiring: Wiring; cache: ByteCache },
  access: MediaAccess,
  ref: MediaRef,
  outer: AbortSignal,
): Promise<OpenedMedia> {
  const key = JSON.stringify([access.scope, ref]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const { signal, stop } = within(wiring.clock, wiring.timeouts.callMs, outer, () =>
    unavailable('did not arrive in time'),
  );
  try {
    const bytes =
      ref.kind === 'url'
        ? await byAddress(wiring, access, ref.url, signal)
        : await byId(wiring, access, ref.id, signal);
    const media = { type: checkedType(bytes), bytes };
    cache.set(key, media);
    return media;
  } catch (error) {
    if (outer.aborted) throw error;
    if (error instanceof BridgeError && error.code === 'media-unavailable') throw error;
    throw unavailable(
      error instanceof Error ? `could not be opened: ${error.message}` : 'could not be opened',
      error,
    );
  } finally {
    stop();
  }
}

function byAddress(
  wiring: Wiring,
  access: MediaAccess,
  address: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const url = URL.parse(address);
  if (url === null) throw unavailable('has no usable address');
  const own = url.origin === wiring.base.origin;
  const authority: Authority = own ? access.addresses : { kind: 'none' };
  const operation = { capability: 'media', credential: access.addressCredential } as const;
  return signed(wiring, operation, { authority, signal }, async (headers) =>
    readBytes(await fetchMedia(wiring, { url, headers, signal }), MAX_MEDIA_BYTES),
  );
}

const LINK_REFUSED = new Set([401, 403, 404, 410]);

/**
 * Fetches an image by its file id through a temporary link. Links expire, so if the platform refuses one, a second
 * link is requested (platform contract MED-9).
 */
async function byId(wiring: Wiring, access: MediaAccess, id: string, signal: AbortSignal): Promise<Buffer> {
  if (access.files === undefined) {
    throw unavailable('can be fetched only with a token; give the agent a mediaCredential');
  }
  const context = { authority: access.files, signal };
  const fetchOnce = async (): Promise<Buffer> => {
    const links = await call(wiring, temporaryLinks, { fileIds: [id], locale: wiring.locale }, context);
    const url = addressOf(wiring, linkFor(links, [id], id));
    return signed(wiring, temporaryLinks, context, async (headers) =>
      readBytes(await fetchMedia(wiring, { url, headers, signal }), MAX_MEDIA_BYTES),
    );
  };
  try {
    return await fetchOnce();
  } catch (error) {
    const status = error instanceof BridgeError ? Number(error.facts.httpStatus) : 0;
    if (!LINK_REFUSED.has(status)) throw error;
    return fetchOnce();
  }
}

/**
 * Returns the link that names the id. If no link does and there are as many links as ids, returns the link at the
 * id's position (platform contract DEC-17).
 */
export function linkFor(links: readonly Link[], ids: readonly string[], id: string): string {
  const named = links.find((link) => link.id === id);
  const placed = links.length === ids.length ? links[ids.indexOf(id)] : undefined;
  const found = named ?? placed;
  if (found === undefined) throw unavailable('has no link from the platform');
  return found.link;
}

/** Returns the image type according to the content. Throws if decoding the image would be unsafe (attacks S10, S11). */
export function checkedType(bytes: Uint8Array): string {
  const type = imageTypeOf(bytes);
  if (type === undefined) {
    const refusal = refusalOf(tryJson(Buffer.from(bytes.subarray(0, 4096)).toString('utf8')));
    throw unavailable(
      refusal === undefined
        ? 'is not a PNG, JPEG, GIF or WebP image'
        : `was refused: ${refusal.text.slice(0, 200)}`,
    );
  }
  if (!hasSafeSize(bytes)) throw unavailable('is broken, or larger than a browser should decode');
  return type;
}

/** True if the size in the image's header is safe to decode. Does not decode the image (attack S10). */
function hasSafeSize(bytes: Uint8Array): boolean {
  try {
    const { width, height } = imageSize(bytes);
    return width > 0 && height > 0 && width * height <= MAX_PIXELS;
  } catch {
    return false;
  }
}

/** Limits of the cache of images and files (platform contract MED-9). */
const MAX_AGE_MS = 10 * 60_000;
const MAX_BYTES = 50 * 1024 * 1024;

export type ByteCache = LRUCache<string, OpenedMedia>;

/**
 * Caches the bytes of images and files, but never links, which expire. The least recently used entry is dropped
 * first.
 */
export function createByteCache(clock: Clock): ByteCache {
  return new LRUCache({
    maxSize: MAX_BYTES,
    // lru-cache does not accept the size 0 of an empty file.
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.byteLength),
    // lru-cache expires an entry one millisecond after its lifetime. The subtraction makes the entry expire exactly at
    // the end of its lifetime.
    ttl: MAX_AGE_MS - 1,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  });
}
