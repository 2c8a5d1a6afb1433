import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { type AgentName, agentName, type TurnId, turnId } from '../core/ids.ts';
import type { Media, MediaRef } from '../core/reply.ts';
import { createSealer } from './sealing.ts';

/**
 * Minimum lifetime of a link, in milliseconds. Expiry times are rounded up to full hours, so that an image's address
 * changes at most once an hour and browsers can cache it.
 */
const LIFE_MS = 24 * 3600 * 1000;
const ROUND_MS = 3600 * 1000;

/** Maximum length of the name in a link, in UTF-16 units. */
const NAME_CHARS = 200;

/** The image or file that a link opens, and its reply. Contains nothing about the person who opens the link. */
export interface MediaGrant {
  readonly turn: TurnId;
  readonly agent: AgentName;
  readonly account?: string;
  readonly ref: MediaRef;
  readonly name: string;
}

type Opened =
  | { readonly kind: 'valid'; readonly grant: MediaGrant }
  | { readonly kind: 'expired' }
  | { readonly kind: 'forged' };

export type MediaLinks = ReturnType<typeof createMediaLinks>;

/**
 * Creates the links of images and files. The agent's account cannot be read from a link.
 * @param key 32 random bytes that survive restarts
 */
export function createMediaLinks(key: Uint8Array, clock: Clock) {
  const sealer = createSealer(key, 'media link');
  return {
    /**
     * Returns the link's last path segment. It is URL-safe, and changes only once an hour for the same image. Returns
     * undefined if the image's address makes the link too long.
     */
    seal({ ref, name }: Media, from: Pick<MediaGrant, 'turn' | 'agent' | 'account'>): string | undefined {
      const until = Math.ceil((clock.now() + LIFE_MS) / ROUND_MS) * ROUND_MS;
      const short = name.slice(0, NAME_CHARS);
      return sealer.seal(JSON.stringify([until, from.turn, from.agent, from.account ?? null, ref, short]));
    },
    open(sealed: string): Opened {
      const { data } = content.safeParse(JSON.parse(sealer.open(sealed) ?? 'null'));
      if (data === undefined) return { kind: 'forged' };
      return data.until <= clock.now() ? { kind: 'expired' } : { kind: 'valid', grant: data.grant };
    },
  };
}

const mediaRef = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file-id'), id: z.string(), platform: z.string().optional() }),
  z.object({ kind: z.literal('url'), url: z.string(), platform: z.string().optional() }),
]);

/** Content of a link. It is authenticated, so this bridge wrote it, possibly in an older version. */
const content = z
  .tuple([z.number(), z.string(), z.string(), z.string().nullable().catch(null), mediaRef, z.string()])
  .rest(z.unknown())
  .transform(([until, turn, agent, account, ref, name]) => {
    const grant: MediaGrant = { turn: turnId(turn), agent: agentName(agent), ref, name };
    return { until, grant: account === null ? grant : { ...grant, account } };
  });
