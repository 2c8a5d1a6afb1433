/**
 * Stores the open place while the browser is at the identity provider, and reads the failure, if any, when the browser
 * comes back.
 */

import { recall, remember } from './memory.ts';

const PLACE = 'place';

/** Sentences for the failures that the server names in the address. */
const failures: Readonly<Record<string, string>> = {
  expired: 'That sign-in took too long, or was already used. Please sign in again.',
  refused: 'You could not be signed in. Please try again, or tell the operator.',
  unavailable: 'You cannot sign in right now. Please try again in a minute.',
};

/** Stores the open room and thread. Without storage, the page opens the first room after the sign-in. */
export function keepPlaceForSignIn(): void {
  remember(PLACE, location.hash, 'sessionStorage');
}

/** Opens again the room and thread that were open before the sign-in. */
export function restorePlace(): void {
  const place = recall(PLACE, 'sessionStorage');
  remember(PLACE, undefined, 'sessionStorage');
  if (place?.startsWith('#/') && !location.hash.startsWith('#/r/')) history.replaceState(null, '', place);
}

/** Returns the sentence for a sign-in that failed, and removes the failure from the address. */
export function takeSignInFailure(): string | undefined {
  const failure = new URLSearchParams(location.search).get('sign-in');
  if (failure === null) return undefined;
  history.replaceState(null, '', location.pathname + location.hash);
  return failures[failure] ?? failures.refused;
}
