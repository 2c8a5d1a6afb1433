import type { IncomingHttpHeaders } from 'node:http';

/** Maximum number of sign-ins that one browser can have begun. A further one ends the oldest. */
const BEGUN = 5;
/** Number of characters of a sign-in's state in the name of its cookie. */
const NAME_CHARS = 16;

/**
 * Returns the functions for cookies of sign-ins that have begun. Each sign-in has a cookie of its own, named after its
 * state, so that people can sign in in several tabs at once.
 */
export function cookieOfEach(
  bare: string,
  ...rest: [sameSite: 'Strict' | 'Lax', ms: number, secure: boolean]
) {
  const of = (state: string) => cookie(`${bare}_${state.slice(0, NAME_CHARS)}`, ...rest);
  const begun = new RegExp(`(?:^|;\\s*)(?:__Host-)?${bare}_([\\w-]{${NAME_CHARS}})=`, 'g');
  return {
    of,
    /** Returns the headers that set the cookie and clear the oldest ones if there are too many. */
    begin(state: string, value: string, headers: IncomingHttpHeaders): readonly string[] {
      // Browsers send older cookies first (RFC 6265, section 5.4).
      const before = [...(headers.cookie ?? '').matchAll(begun)].map(([, name = '']) => name);
      return [...before.slice(0, 1 - BEGUN).map((each) => of(each).clear()), of(state).set(value)];
    },
  };
}

/**
 * Returns the functions for a cookie that scripts cannot read. On https, the prefix of its name keeps other hosts of the
 * domain from setting it.
 * @param ms lifetime in milliseconds
 */
export function cookie(bare: string, sameSite: 'Strict' | 'Lax', ms: number, secure: boolean) {
  const name = secure ? `__Host-${bare}` : bare;
  const write = (value: string, seconds: number) =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
  return {
    set: (value: string) => write(value, ms / 1000),
    clear: () => write('', 0),
    read({ cookie: header = '' }: IncomingHttpHeaders): string | undefined {
      const pairs = header.split(';').map((pair) => pair.trim().split('='));
      const found = pairs.filter(([key]) => key === name);
      // Two cookies of this name mean that one was planted.
      return found.length === 1 ? found[0]?.[1] : undefined;
    },
  };
}
