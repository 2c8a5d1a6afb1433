/**
 * Fetches Microsoft's public keys: those that verify Teams' requests, or those that verify people's tokens for single
 * sign-on. Keys may be cached for a day, and new keys may appear at any time (Azure Bot Service, "Authenticate requests
 * from the Bot Connector service to your bot").
 */

import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Plain, plain, plains, readJson, text, words } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import { isSecure } from '../api/hosts.ts';
import type { Http } from '../api/http.ts';
import type { Directory } from '../clouds.ts';

/** Endorsement that a key must have to sign for Teams. Keys without this endorsement sign tokens of other services. */
export const ENDORSEMENT = 'msteams';
const DAY_MS = 24 * 60 * 60_000;
/**
 * Maximum age of cached keys, in milliseconds: the one day that Microsoft allows, and a second day in case Microsoft
 * cannot be reached.
 */
const KEPT_MS = 2 * DAY_MS;
/**
 * Maximum age at which the list of keys counts as complete, in milliseconds. Microsoft publishes a key before using it,
 * so a key that is not in a complete list is not Microsoft's.
 */
const FRESH_MS = 30_000;
/** Pause after a failed fetch before a new fetch may start, in milliseconds. */
const PAUSE_MS = 1_000;
/**
 * Maximum duration of each of the two requests of a fetch, in milliseconds. Teams waits 15 s for the response to its
 * request.
 */
const FETCH_MS = 4_000;
const FETCH_BYTES = 1024 * 1024;

export type Keys = ReturnType<typeof createKeys>;

export interface KeysDeps {
  readonly http: Pick<Http, 'send'>;
  readonly clock: Clock;
  /** Address of the OpenID metadata. */
  readonly metadata: string;
  /** The endorsement that a key needs; if absent, every published key counts. */
  readonly endorsement?: string;
  /** If set, keys that name the issuer of another organization are left out. If absent, a key may name any issuer. */
  readonly organization?: Pick<Directory, 'issuers'> & { readonly tenant: string };
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

interface Fetched {
  readonly at: number;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export function createKeys(deps: KeysDeps) {
  const { clock } = deps;
  let known: Fetched | undefined;
  let running: Promise<Fetched> | undefined;
  let failed: { readonly at: number; readonly why: unknown } | undefined;
  const ageOf = ({ at }: { readonly at: number }): number => Math.abs(clock.now() - at);
  const fetchNow = async (): Promise<Fetched> => {
    try {
      known = { at: clock.now(), keys: await fetchKeys(deps) };
      failed = undefined;
      return known;
    } catch (why) {
      failed = { at: clock.now(), why };
      throw why;
    } finally {
      running = undefined;
    }
  };
  const refresh = (): Promise<Fetched> => {
    if (failed !== undefined && ageOf(failed) < PAUSE_MS) return Promise.reject(failed.why);
    running ??= fetchNow();
    return running;
  };
  return {
    /**
     * Resolves with the key; with undefined if Microsoft publishes no usable key with this id. Anyone can send
     * invented ids, so an unknown id causes at most one fetch, and none while the list of keys is fresh. Rejects if the
     * list cannot be fetched.
     */
    async find(kid: string): Promise<KeyObject | undefined> {
      if (known === undefined || ageOf(known) >= KEPT_MS) return (await refresh()).keys.get(kid);
      const key = known.keys.get(kid);
      if (key === undefined && ageOf(known) >= FRESH_MS) return (await refresh()).keys.get(kid);
      // Use a known key immediately, and renew the list in the background.
      if (ageOf(known) >= DAY_MS) refresh().catch(() => undefined);
      return key;
    },
  };
}

async function fetchKeys(deps: KeysDeps): Promise<ReadonlyMap<string, KeyObject>> {
  const metadata = await fetchJson(deps.metadata, deps);
  const address = URL.parse(String(metadata.jwks_uri));
  if (address === null || !isSecure(address)) {
    throw new Error('The OpenID metadata contains no https address of the keys.');
  }
  const { keys } = await fetchJson(address.href, deps);
  return new Map(plains(keys).flatMap((key) => usable(key, deps)));
}

async function fetchJson(url: string, { http, signal }: KeysDeps): Promise<Plain> {
  const headers = { accept: 'application/json' };
  const request = { method: 'GET', url, headers, limit: FETCH_BYTES, withinMs: FETCH_MS } as const;
  const answer = await http.send(request, signal);
  if (answer.kind !== 'answered') throw new Error(`${new URL(url).origin} did not answer: ${answer.reason}.`);
  const { status, body } = answer;
  const content = status === 200 ? readJson(body.toString('utf8')) : undefined;
  if (content === undefined)
    throw new Error(`${new URL(url).origin} answered ${status} instead of sending the keys.`);
  return plain(content);
}

function usable(
  { kty, endorsements, issuer, ...jwk }: Plain,
  { endorsement, organization }: KeysDeps,
): readonly (readonly [string, KeyObject])[] {
  if (kty !== 'RSA' || (endorsement !== undefined && !words(endorsements).includes(endorsement))) return [];
  if (organization !== undefined && issuer !== undefined && !signsFor(issuer, organization)) return [];
  const [kid, n, e] = [jwk.kid, jwk.n, jwk.e].map(text);
  // Without `n` or `e`, Node would accept a JWK as a key whose numbers are zero.
  if (kid === undefined || n === undefined || e === undefined) return [];
  return [[kid, createPublicKey({ key: { kty, n, e }, format: 'jwk' })]];
}

/**
 * True if the key signs tokens of the organization. In the key's issuer, `{tenantid}` stands for any organization
 * (Microsoft identity platform, "Access tokens", section "Validate the signing key issuer"). A key names only the
 * issuer of tokens of version 2.0, but also signs tokens of version 1.0 (Microsoft.IdentityModel.Validators,
 * "EnableAadSigningKeyIssuerValidation").
 */
const signsFor = (issuer: unknown, { tenant, issuers }: Required<KeysDeps>['organization']): boolean =>
  issuers.includes(String(issuer).replace(/\{tenantid\}/i, () => tenant));
