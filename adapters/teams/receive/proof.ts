/** What is known of who sent a request, and how seldom Microsoft is asked for its keys. */

import type { Clock } from '../../../src/kit.ts';
import type { Bearer } from './bearer.ts';

export type Proof =
  | { readonly kind: 'proven' }
  /** The token is not the Bot Connector's, not for us, not of now, or not for that address. */
  | { readonly kind: 'refused' }
  /** Microsoft's keys could not be had, so that nobody knows. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

export interface Proving {
  /** Proves a bearer token. Never rejects, and prints nothing. */
  prove(bearer: Bearer): Promise<Proof>;
}

/** Milliseconds after a look for keys that failed, in which nobody's request makes another one. */
const PAUSE_MS = 1_000;
/** Keys that proved a request; Microsoft has a handful at a time. */
const MOST = 100;

/**
 * Anybody can name a key that nobody has, and where keys are old, or unknown, each such request would ask Microsoft for
 * them: the first one does, those beside it wait for what it learns, and when it learns nothing none asks for a while.
 * Keys that proved a request once are never held up by that.
 */
export function createSparing(clock: Clock): (kid: string, ask: () => Promise<Proof>) => Promise<Proof> {
  const proved = new Set<string>();
  let first: Promise<Proof> | undefined;
  let failed: { readonly proof: Proof; readonly at: number } | undefined;
  const noted = (kid: string, proof: Proof): Proof => {
    if (proof.kind === 'proven' && proved.size < MOST) proved.add(kid);
    // They are too old by now: it is asked for them anew, and not by every request.
    if (proof.kind === 'unknown') proved.delete(kid);
    return proof;
  };
  const learn = async (ask: () => Promise<Proof>): Promise<Proof> => {
    first = ask();
    const proof = await first;
    first = undefined;
    failed = proof.kind === 'unknown' ? { proof, at: clock.now() } : undefined;
    return proof;
  };
  return async (kid, ask) => {
    if (proved.has(kid)) return noted(kid, await ask());
    if (failed !== undefined && Math.abs(clock.now() - failed.at) < PAUSE_MS) return failed.proof;
    if (first === undefined) return noted(kid, await learn(ask));
    const proof = await first;
    return proof.kind === 'unknown' ? proof : noted(kid, await ask());
  };
}
