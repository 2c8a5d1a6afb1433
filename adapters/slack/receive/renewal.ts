/**
 * Renews the tokens of installations before they expire. Several processes may share the store and a refresh token
 * works only once, so a process claims the installation in the store before it uses the token.
 */

import { count, texts } from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock, type Log } from '../../../src/kit.ts';
import type { Caller } from '../api/sender.ts';
import type { OAuthConfig } from '../config.ts';
import type { StoredInstallation } from './installation.ts';
import type { Installations } from './installations.ts';

/** Interval between the checks of all tokens, in milliseconds. */
const CHECK_EVERY_MS = 10 * 60_000;
/**
 * The first attempt to renew a token is made this long before it expires, in milliseconds. Slack's tokens live 12
 * hours. A failed attempt is repeated every 10 minutes, so there are about 12 attempts.
 */
const EARLY_MS = 2 * 60 * 60_000;
/** Pause before another attempt to store a renewed token, in milliseconds. */
const STORE_AGAIN_MS = 1_000;

export interface RenewalDeps {
  readonly config: OAuthConfig;
  readonly installations: Installations;
  readonly call: Caller;
  readonly clock: Clock;
  readonly log: Log;
}

/** An installation whose token can be renewed. */
type Renewable = StoredInstallation & { readonly refreshToken: string };

/** Renews tokens one at a time until the signal aborts. */
export async function renewTokens(deps: RenewalDeps, signal: AbortSignal): Promise<void> {
  const { installations, clock, log } = deps;
  while (!signal.aborted) {
    const ids = await installations.ids().catch(() => []);
    for (const id of ids) {
      if (signal.aborted) return;
      await renew(id, deps, signal).catch((err: unknown) =>
        log.warn({ err, tenant: id }, 'A Slack token could not be renewed. The next check is in 10 minutes.'),
      );
    }
    await clock.wait(CHECK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Renews the token of one installation if it expires soon and no other process is renewing it. */
async function renew(id: string, deps: RenewalDeps, signal: AbortSignal): Promise<void> {
  const { installations, clock } = deps;
  const isDue = (stored: StoredInstallation | undefined): stored is Renewable =>
    stored?.refreshToken !== undefined && (stored.expiresAt ?? 0) * 1_000 < clock.now() + EARLY_MS;
  if (!isDue(await installations.readStored(id)) || !(await installations.claimRenewal(id))) return;
  try {
    // Another process may have renewed the token just before the claim.
    const installation = await installations.readStored(id);
    if (!isDue(installation)) return;
    const renewed = await exchange(installation, deps);
    if (renewed !== undefined) await store(renewed, { replaces: installation.refreshToken, signal }, deps);
  } finally {
    await installations.releaseRenewal(id).catch(() => undefined);
  }
}

/** Asks Slack for the next token. Resolves to undefined if Slack refuses the refresh token. */
async function exchange(stored: Renewable, deps: RenewalDeps): Promise<Renewable | undefined> {
  const { config, call, clock } = deps;
  const request = {
    client_id: config.clientId,
    client_secret: config.clientSecret.reveal(),
    grant_type: 'refresh_token',
    refresh_token: stored.refreshToken,
  };
  const requestedAt = clock.now();
  // A stop must not end this call, because the next token would be lost.
  const { signal } = new AbortController();
  const answer = await call('oauth.v2.access', request, signal);
  if (answer.kind !== 'done') {
    if (answer.error !== 'invalid_refresh_token')
      throw new BridgeError('channel-unavailable', `Slack did not renew the token: ${answer.error}`);
    await reportUsed(stored, deps);
    return undefined;
  }
  const { access_token: token, refresh_token: refreshToken, expires_in } = answer.body;
  const tokens = texts({ token, refreshToken });
  if (tokens === undefined)
    throw new BridgeError('channel-unavailable', 'Slack accepted the renewal, but sent no new token.');
  return { ...stored, ...tokens, expiresAt: Math.floor(requestedAt / 1_000) + (count(expires_in) ?? 0) };
}

/** Reports that the refresh token was used and its successor is unknown, unless another process stored the successor. */
async function reportUsed({ id, refreshToken }: Renewable, deps: RenewalDeps): Promise<void> {
  const now = await deps.installations.readStored(id);
  if (now?.refreshToken === refreshToken)
    reportReinstall(id, 'Slack refuses to renew the token of this workspace.', deps);
}

function reportReinstall(id: string, why: string, { config, log }: RenewalDeps): void {
  log.error({ tenant: id }, `${why} Install the app there again: ${config.publicUrl}/slack/install`);
}

/**
 * Stores a new token. Repeats failed attempts until the process stops, because Slack does not issue the token again.
 */
async function store(
  renewed: Renewable,
  { replaces, signal }: { readonly replaces: string; readonly signal: AbortSignal },
  deps: RenewalDeps,
): Promise<void> {
  for (;;) {
    try {
      return await deps.installations.renew(renewed, replaces);
    } catch (err) {
      if (signal.aborted) {
        reportReinstall(renewed.id, 'The new token of this workspace could not be stored.', deps);
        return;
      }
      deps.log.warn(
        { err, tenant: renewed.id },
        'A renewed Slack token could not be stored. The next attempt is in 1 s.',
      );
      await deps.clock.wait(STORE_AGAIN_MS, signal).catch(() => undefined);
    }
  }
}
