/** Signed links to sources. Each link names one source of one reply, and contains the document's own link. */

import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { type TurnId, turnId } from '../core/ids.ts';
import { safeDestination } from '../reply/markdown/links.ts';
import { createSealer } from './sealing.ts';

/**
 * Creation times in links are rounded down to this many milliseconds, so that links created in the same minute are
 * equal.
 */
const ROUND_MS = 60_000;
/**
 * Maximum length of a sealed text, in characters. Slack's buttons accept addresses of 3,000 characters, and one
 * message may contain up to five such buttons.
 */
const LONGEST = 1_500;

export interface SourceGrant {
  readonly turn: TurnId;
  /** Key of the source in its reply. */
  readonly key: string;
  /** The document's own link (http or https). */
  readonly link: string;
}

type OpenedSource =
  | { readonly kind: 'valid' | 'expired'; readonly grant: SourceGrant }
  | { readonly kind: 'forged' };

export type SourceLinks = ReturnType<typeof createSourceLinks>;

/**
 * @param key 32 random bytes that survive restarts
 * @param lifeMs milliseconds for which a link shows passages; 0 shows none. A changed value also applies to existing links
 */
export function createSourceLinks(key: Uint8Array, clock: Clock, lifeMs: number) {
  const sealer = createSealer(key, 'source link');
  return {
    /**
     * Returns the last path segment of the bridge's link to a source. Returns undefined if the segment would be too
     * long, if the bridge's links are switched off (`lifeMs` is 0), or if the document's own link is not http(s). The
     * caller must then use the document's own link.
     */
    seal(grant: SourceGrant): string | undefined {
      if (lifeMs === 0 || !isPage(grant.link)) return undefined;
      const made = Math.floor(clock.now() / ROUND_MS);
      const sealed = sealer.seal(JSON.stringify([made, grant.turn, grant.key, grant.link]));
      return sealed === undefined || sealed.length > LONGEST ? undefined : sealed;
    },
    open(sealed: string): OpenedSource {
      const { data } = content.safeParse(JSON.parse(sealer.open(sealed) ?? 'null'));
      if (data === undefined) return { kind: 'forged' };
      const isOver = data.made * ROUND_MS + lifeMs <= clock.now();
      return { kind: isOver ? 'expired' : 'valid', grant: data.grant };
    },
  };
}

const isPage = (link: string): boolean => /^https?:/.test(safeDestination(link)?.href ?? '');

/** Content of a link. It is authenticated, so this bridge wrote it, possibly in an older version. */
const content = z
  .tuple([z.number(), z.string(), z.string(), z.string().refine(isPage)])
  .rest(z.unknown())
  .transform(([made, turn, key, link]) => ({ made, grant: { turn: turnId(turn), key, link } }));
