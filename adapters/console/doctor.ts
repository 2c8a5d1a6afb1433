/**
 * Findings of `parley doctor` about the console: the page is not built, the identity provider cannot be used, or the
 * console is open to others.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cappedFetch, plain, timeLimit } from '../../src/kit/ladder.ts';
import { type Finding, isLoopback } from '../../src/kit.ts';
import type { SignInConfig } from './config.ts';

/** Maximum duration of the request to the public address, in milliseconds. */
const REQUEST_MS = 10_000;
const request = cappedFetch();

export async function examineConsole(
  pageFolder: string,
  publicUrl: string | undefined,
  signIn: SignInConfig | undefined,
): Promise<readonly Finding[]> {
  const own = [checkPage(pageFolder), ...(signIn === undefined ? [] : [await checkProvider(signIn)])];
  if (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)) return own;
  return [...own, await checkPublicAccess(publicUrl)];
}

/** Checks that the identity provider answers, and that its metadata contains the same issuer as the settings. */
async function checkProvider(signIn: SignInConfig): Promise<Finding> {
  const what = 'console sign-in';
  const { requestMetadata } = await import('./identity/provider.ts');
  try {
    const { jwks_uri, backchannel_logout_supported: logout } = await requestMetadata(signIn);
    if (jwks_uri === undefined) return { what, ok: false, detail: `${signIn.issuer} publishes no keys` };
    const ends = logout === true ? 'with' : 'without';
    return { what, ok: true, detail: `${signIn.issuer} answers, ${ends} back-channel logout` };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : 'unknown reason';
    const cure =
      'Compare console.signIn.issuer with the address of the provider, and check that this machine reaches it.';
    return { what, ok: false, detail: `${signIn.issuer} cannot be used (${reason}). ${cure}` };
  }
}

function checkPage(pageFolder: string): Finding {
  const ok = existsSync(join(pageFolder, 'index.html'));
  return { what: 'console page', ok, detail: ok ? 'built' : 'not built. Run `npm start`, which builds it.' };
}

/** Checks whether a console without access control answers at the public address, to which a proxy or tunnel may lead. */
export async function checkPublicAccess(publicUrl: string): Promise<Finding> {
  const what = 'console from outside';
  const found = await lookAt(publicUrl);
  const detail = {
    silent: `nothing answers at ${publicUrl}. Start the bridge, then run this check again.`,
    unknown: `the host of ${publicUrl} cannot be resolved. Check PARLEY_PUBLIC_URL and the DNS.`,
    closed: `asks for a sign-in at ${publicUrl}`,
    open: `everyone who can reach ${publicUrl} can read all messages and write as any person. Set PARLEY_CONSOLE_TOKEN or console.signIn, or console.enabled: false.`,
  }[found];
  return { what, ok: found === 'silent' || found === 'closed', detail };
}

const isUnknownHost = (thrown: unknown): boolean =>
  thrown instanceof Error && /^(?:ENOTFOUND|EAI_)/.test(String(plain(thrown.cause).code));

/**
 * Returns `open` if a console at this address shows its data without a sign-in, `unknown` if its host cannot be
 * resolved, `silent` if there is no response, and `closed` for any other response.
 */
async function lookAt(address: string): Promise<'open' | 'closed' | 'silent' | 'unknown'> {
  const url = `${address.replace(/\/*$/, '')}/console/state`;
  const pending = request(url, { redirect: 'manual', signal: timeLimit(REQUEST_MS) });
  const response = await pending.catch((thrown: unknown) => (isUnknownHost(thrown) ? 'unknown' : 'silent'));
  if (typeof response === 'string') return response;
  const state: unknown = await response.json().catch(() => undefined);
  return response.ok && 'people' in plain(state) ? 'open' : 'closed';
}
