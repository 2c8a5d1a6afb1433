import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Keyed } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { Seal } from '../identity/seal.ts';
import { cookie } from './cookie.ts';

/** Maximum duration of a sign-in at another server, in milliseconds. */
const PENDING_MS = 10 * 60_000;
/** Maximum number of sign-ins that one browser can have begun. A further one ends the oldest. */
const BEGUN = 5;
/** Number of characters of a sign-in's state in the name of its cookie. */
const NAME_CHARS = 16;

/**
 * Keeps the data of sign-ins at another server until the browser comes back. The browser has the data of each sign-in,
 * sealed, in a cookie of its own, named after the state, so that people can sign in in several tabs at once.
 * @param bare name of the cookies without their prefix and the state
 * @param parts `used` stores used states, to refuse their second use at any replica; `secure` is true if the public
 * address is https
 */
export function begunSignIns<Pending extends { readonly state: string }>(
  [bare, sameSite]: readonly [name: string, sameSite: 'Strict' | 'Lax'],
  schema: z.ZodType<Pending>,
  { seal, clock, secure, used }: { seal: Seal; clock: Clock; secure: boolean; used: Keyed },
) {
  const usedKey = (state: string) => `used ${bare} ${seal.digest(state)}`;
  const isUsed = async (state: string) => (await used.get(usedKey(state))) !== undefined;
  const cookieOf = (state: string) =>
    cookie(`${bare}_${state.slice(0, NAME_CHARS)}`, sameSite, PENDING_MS, secure);
  const names = new RegExp(`(?:^|;\\s*)(?:__Host-)?${bare}_([\\w-]{${NAME_CHARS}})=`, 'g');
  return {
    /** Returns the headers that set the cookie, and clear the oldest ones if there are too many. */
    async begin(pending: Pending, headers: IncomingHttpHeaders): Promise<readonly string[]> {
      // Browsers send older cookies first (RFC 6265, section 5.4).
      const before = [...(headers.cookie ?? '').matchAll(names)].map(([, name = '']) => name);
      const sealed = await seal.seal({ ...pending }, bare, clock.now() + PENDING_MS);
      return [
        ...before.slice(0, 1 - BEGUN).map((each) => cookieOf(each).clear()),
        cookieOf(pending.state).set(sealed),
      ];
    },
    /**
     * Returns the data of the sign-in; undefined if this browser did not begin it, if it was used, or if it began more
     * than 10 minutes ago.
     */
    async find(state: string, headers: IncomingHttpHeaders): Promise<Pending | undefined> {
      const claims = await seal.open(cookieOf(state).read(headers) ?? '', bare, clock.now());
      const { data } = schema.safeParse(claims);
      return data?.state === state && !(await isUsed(state)) ? data : undefined;
    },
    isUsed,
    use: (state: string) => used.set(usedKey(state), true, PENDING_MS, 'nobody'),
    /** Returns the header that clears the cookie. */
    clear: (state: string): string => cookieOf(state).clear(),
  };
}
