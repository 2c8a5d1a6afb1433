import type { IncomingHttpHeaders } from 'node:http';

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
