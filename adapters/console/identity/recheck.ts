/**
 * Asks the identity provider again and again whether it still accepts the people who signed in, with the refresh token
 * of each person's last sign-in. A provider refuses the refresh token of a disabled person with `invalid_grant`
 * (RFC 6749, section 5.2; so do Keycloak, with "User disabled" of its TokenManager, and Microsoft Entra, with AADSTS50173).
 * Replicas share the tokens, and only one of them uses a token at a time, because many providers accept a refresh token
 * only once.
 */

import { z } from 'zod';
import { createCache, createSeldom, type Owner } from '../../../src/kit/ladder.ts';
import { type AdapterHost, BridgeError } from '../../../src/kit.ts';
import type { Provider } from './provider.ts';
import { SESSION_MS } from './sessions.ts';

/**
 * Maximum age of the provider's last answer about a person, in milliseconds. Open pages are checked every 15 s, and the
 * provider has 5 s to answer, so a disabled person loses access within 60 s.
 */
const CHECK_EVERY_MS = 35_000;
/** Time for which people stay signed in while the provider cannot be asked, in milliseconds. */
export const OUTAGE_MS = 15 * 60_000;
/** Pause after a failed request, in milliseconds, so that not every request of a person waits for the provider. */
const RETRY_MS = 5_000;
/**
 * Time after which another process may use a token that a process claimed, in milliseconds: longer than a request to the
 * provider takes. Other processes look every `LOOK_EVERY_MS` whether the provider has answered.
 */
const CLAIM_MS = 20_000;
const LOOK_EVERY_MS = 250;
/** Time for which an offline token is stored after its last use, in milliseconds: longer than any link lasts. */
const OFFLINE_MS = 400 * 24 * 60 * 60_000;
/** Maximum people in memory. */
const PEOPLE = 20_000;

/** The stored record of a person who signed in. Times are in milliseconds since the epoch. */
const grantSchema = z.object({
  /** The newest refresh token; absent once the provider has refused the person. */
  token: z.string().optional(),
  /** Time of the provider's last answer. */
  at: z.number(),
  /** Time at which a process began to use the token. */
  claimed: z.number().optional(),
  /** Time of the first check that failed since the last answer. */
  failing: z.number().optional(),
});
type Grant = z.infer<typeof grantSchema>;

interface RecheckDeps {
  readonly provider: Pick<Provider, 'refresh'>;
  readonly host: Pick<AdapterHost, 'secrets' | 'clock' | 'log' | 'noteAct'>;
  /** The console's only workspace. */
  readonly tenant: string;
  /**
   * True if refresh tokens outlive the session at the provider (scope `offline_access`). Only then does a refused token
   * say something about the person, and not only about this session.
   */
  readonly offline: boolean;
  /** Ends the person's sessions. */
  refused(person: string): Promise<void>;
}

export class Recheck {
  readonly #deps: RecheckDeps;
  /** Time of the provider's last answer about each person whom it accepted. */
  readonly #accepted;
  /** Checks that run in this process, by person. */
  readonly #running = new Map<string, Promise<boolean>>();
  /** The last outage of the provider. No request is made before `until`. */
  #outage: { readonly since: number; readonly until: number } | undefined;
  readonly #seldom;

  constructor(deps: RecheckDeps) {
    const { clock } = deps.host;
    this.#deps = deps;
    this.#accepted = createCache<{ readonly at: number }>({ clock, max: PEOPLE, ttlMs: CHECK_EVERY_MS });
    this.#seldom = createSeldom(clock);
  }

  /** Stores the refresh token of a person who has just signed in; undefined if the provider issued none. */
  async begin(person: string, token: string | undefined): Promise<void> {
    const { secrets, clock, log } = this.#deps.host;
    this.#accepted.delete(person);
    if (token !== undefined) {
      const grant: Grant = { token, at: clock.now() };
      return secrets.set(keyOf(person), grant, this.#lifeMs(), this.#ownerOf(person));
    }
    await secrets.delete(keyOf(person));
    this.#seldom('no token', () => log.warn({}, NO_TOKEN));
  }

  /** Deletes the refresh token of a person whose last session has ended, unless links need it. */
  async end(person: string): Promise<void> {
    if (!this.#deps.offline) await this.#deps.host.secrets.delete(keyOf(person));
  }

  /**
   * Resolves with false if the provider no longer accepts the person. People without a refresh token count as accepted.
   * Rejects with `sign-in-unavailable` if the provider could not be asked for 15 minutes.
   * @param use what the person wants: to use the console, or to keep a link to their account
   */
  async isAccepted(person: string, use: 'ask' | 'link' = 'ask'): Promise<boolean> {
    if (use === 'link' && !this.#deps.offline) return true;
    if (this.#accepted.has(person)) return true;
    const running = this.#running.get(person);
    if (running !== undefined) return running;
    const check = this.#check(person).finally(() => this.#running.delete(person));
    this.#running.set(person, check);
    return check;
  }

  /** Resolves once no check runs, so that a rotated token is stored before the process ends. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  async #check(person: string): Promise<boolean> {
    const { secrets, clock } = this.#deps.host;
    for (;;) {
      const grant = grantSchema.safeParse(await secrets.get(keyOf(person))).data;
      const now = clock.now();
      if (grant === undefined) return this.#accept(person, now);
      if (grant.token === undefined) {
        await this.#deps.refused(person);
        return false;
      }
      if (Math.abs(now - grant.at) < CHECK_EVERY_MS) return this.#accept(person, grant.at);
      if (this.#outage !== undefined && now < this.#outage.until) return this.#bearWith(grant);
      if (await this.#claim(person, grant.token)) return this.#ask(person, grant, grant.token);
      await clock.wait(LOOK_EVERY_MS);
    }
  }

  /** Remembers the provider's answer, for the rest of the time for which it counts. */
  #accept(person: string, at: number): true {
    const ttl = CHECK_EVERY_MS - (this.#deps.host.clock.now() - at);
    this.#accepted.set(person, { at }, { ttl: Math.max(1, ttl - 1) });
    return true;
  }

  #claim(person: string, token: string): Promise<boolean> {
    const now = this.#deps.host.clock.now();
    return this.#change(person, token, (grant) =>
      Math.abs(now - (grant.claimed ?? Number.NEGATIVE_INFINITY)) < CLAIM_MS
        ? undefined
        : { ...grant, claimed: now },
    );
  }

  async #ask(person: string, grant: Grant, token: string): Promise<boolean> {
    const { provider, host, tenant, refused } = this.#deps;
    const at = host.clock.now();
    const result = await provider.refresh(token, person);
    if (result.kind === 'accepted') {
      this.#outage = undefined;
      await this.#change(person, token, () => ({ token: result.token ?? token, at }));
      return this.#accept(person, at);
    }
    if (result.kind === 'unavailable') {
      const now = host.clock.now();
      this.#outage = { since: this.#outageSince(now), until: now + RETRY_MS };
      const failing = { token, at: grant.at, failing: grant.failing ?? now };
      await this.#change(person, token, () => failing);
      this.#seldom('outage', () => host.log.warn({ code: 'sign-in-unavailable' }, outageLine(result.reason)));
      return this.#bearWith(failing);
    }
    // If the person has signed in again meanwhile, only the new token counts.
    if (!(await this.#change(person, token, () => ({ at })))) return this.#check(person);
    host.log.info({ person }, `The identity provider no longer accepts a person: ${result.reason}`);
    await host.noteAct({ tenant, person, action: 'sign-in', outcome: 'refused', detail: 'ended' });
    await refused(person);
    return false;
  }

  /** Returns true until the outage has lasted too long. A provider that is down or slow refuses nobody. */
  #bearWith({ failing }: Grant): true {
    const now = this.#deps.host.clock.now();
    if (now - Math.min(failing ?? now, this.#outageSince(now)) < OUTAGE_MS) return true;
    throw new BridgeError('sign-in-unavailable', TOO_LONG, { tellUser: TELL_USER });
  }

  /** Returns the beginning of the outage. If nobody was checked for a while, the earlier outage may have ended. */
  #outageSince(now: number): number {
    const { since, until } = this.#outage ?? { since: now, until: now };
    return now - until < CHECK_EVERY_MS ? since : now;
  }

  /** Replaces what is stored, unless another token has been stored since. */
  #change(person: string, token: string, next: (grant: Grant) => Grant | undefined): Promise<boolean> {
    const change = (current: unknown) => {
      const { data } = grantSchema.safeParse(current);
      return data?.token === token ? next(data) : undefined;
    };
    return this.#deps.host.secrets.change(keyOf(person), change, this.#lifeMs(), this.#ownerOf(person));
  }

  #ownerOf(person: string): Owner {
    return { tenant: this.#deps.tenant, person };
  }

  #lifeMs(): number {
    return this.#deps.offline ? OFFLINE_MS : SESSION_MS;
  }
}

const keyOf = (person: string): string => `sign-in ${person}`;

const NO_TOKEN =
  'The identity provider issued no refresh token, so the console cannot notice when a person is disabled there. Allow refresh tokens for the client, and add the scope offline_access if the provider needs it.';

const outageLine = (reason: string): string =>
  `The identity provider could not be asked whether it still accepts people: ${reason}. They stay signed in for at most ${OUTAGE_MS / 60_000} minutes.`;

const TOO_LONG = `The identity provider could not be asked for ${OUTAGE_MS / 60_000} minutes, so the console lets nobody in whom it has to confirm.`;

const TELL_USER =
  'Your sign-in cannot be confirmed right now, because the sign-in service does not answer. Please try again in a few minutes.';
