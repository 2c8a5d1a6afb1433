import { createHmac } from 'node:crypto';
import { type Cache, clientOf, createCache } from '../../../src/kit/ladder.ts';
import { type Clock, isSameSecret } from '../../../src/kit.ts';
import type { Token } from '../config.ts';
import { HttpRefusal } from '../refusal.ts';

const COOKIE = 'parley_console';
/** Lifetime of the cookie, in seconds. A new token makes the cookie invalid earlier. */
const COOKIE_SECONDS = 30 * 24 * 60 * 60;
/** Maximum number of wrong tokens per address within the window of 60 s. */
const TRIES = 10;
const WINDOW_MS = 60_000;
/** Delay before the response to a wrong token, in milliseconds, to slow down guessing. */
const PENALTY_MS = 500;
/** Maximum number of addresses in memory, and of responses that are delayed at the same time. */
const ADDRESSES = 1_000;
const PENDING = 50;

/** Checks the console's token, and the cookie that a browser gets for the right token. */
export class SignIn {
  readonly #token: Token;
  readonly #clock: Clock;
  /** Attributes of the cookie that depend on the configuration. */
  readonly #more: string;
  /** Wrong tokens per address. An address's window begins with its first wrong token. */
  readonly #failures: Cache<number>;
  #pending = 0;

  /** @param secure true if browsers send the cookie over https only */
  constructor(token: Token, clock: Clock, secure = false) {
    this.#token = token;
    this.#clock = clock;
    this.#failures = createCache({ clock, max: ADDRESSES, ttlMs: WINDOW_MS });
    this.#more = secure ? '; Secure' : '';
  }

  /** True if the Cookie header contains the cookie for the current token. */
  isOpen(cookies: string | undefined): boolean {
    const values = (cookies ?? '').split(';').map((pair) => pair.trim().split('='));
    const due = cookieFor(this.#token);
    return values.some(([name, value]) => name === COOKIE && isSameSecret(value, due));
  }

  /**
   * Returns the cookie if the token is right. @throws HttpRefusal 401 after 500 ms, or 429 after too many wrong tokens
   */
  async open(token: string, address: string): Promise<string> {
    const source = clientOf(address);
    const failed = this.#failures.get(source) ?? 0;
    if (failed >= TRIES) throw tooMany(Math.ceil(this.#failures.getRemainingTTL(source) / 1000) || 1);
    if (isSameSecret(token, this.#token.reveal())) {
      return `${COOKIE}=${cookieFor(this.#token)}; Path=/console; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict${this.#more}`;
    }
    this.#failures.set(source, failed + 1, { noUpdateTTL: true });
    // Only wrong tokens count here, so someone who guesses cannot lock out people with the right token.
    if (this.#pending >= PENDING) throw tooMany(1);
    this.#pending += 1;
    try {
      await this.#clock.wait(PENALTY_MS);
    } finally {
      this.#pending -= 1;
    }
    throw new HttpRefusal(401, 'wrong-token', 'That token is wrong. Check it, or ask the operator.');
  }

  /** Returns the cookie that makes the browser forget its sign-in. */
  forget(): string {
    return `${COOKIE}=; Path=/console; Max-Age=0; HttpOnly; SameSite=Strict${this.#more}`;
  }
}

const tooMany = (seconds: number): HttpRefusal =>
  new HttpRefusal(429, 'too-many-tries', 'Too many wrong tokens. Please wait a minute.', seconds);

/** Returns the cookie for the token. The token cannot be computed from the cookie. */
function cookieFor(token: Token): string {
  return createHmac('sha256', token.reveal()).update('parley console cookie').digest('base64url');
}
