/**
 * Findings of `parley doctor` about the console: the page is not built, or the console is open to others without a
 * token.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, isLoopback } from '../../src/kit/channel.ts';

/** Maximum duration of the request to the public address, in milliseconds. */
const REQUEST_MS = 10_000;

export async function examineConsole(
  pageFolder: string,
  publicUrl: string | undefined,
): Promise<readonly Finding[]> {
  const page = checkPage(pageFolder);
  if (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)) return [page];
  return [page, await checkPublicAccess(publicUrl)];
}

function checkPage(pageFolder: string): Finding {
  const ok = existsSync(join(pageFolder, 'index.html'));
  return { what: 'console page', ok, detail: ok ? 'built' : 'not built. Run `npm start`, which builds it.' };
}

/** Checks whether a console without a token answers at the public address, to which a proxy or tunnel may lead. */
export async function checkPublicAccess(publicUrl: string): Promise<Finding> {
  const what = 'console from outside';
  const found = await lookAt(publicUrl);
  if (found === 'silent') {
    const detail = `nothing answers at ${publicUrl}. Start the bridge, then run this check again.`;
    return { what, ok: true, detail };
  }
  if (found === 'closed') return { what, ok: true, detail: `asks for its token at ${publicUrl}` };
  const cure = 'Set PARLEY_CONSOLE_TOKEN, or console.enabled: false.';
  const detail = `everyone who can reach ${publicUrl} can read all messages and write as any person. ${cure}`;
  return { what, ok: false, detail };
}

/**
 * Returns `open` if a console at this address answers without a token, `silent` if nothing answers, `closed` for any
 * other answer.
 */
async function lookAt(address: string): Promise<'open' | 'closed' | 'silent'> {
  const url = `${address.replace(/\/*$/, '')}/console/state`;
  const asked = fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS) });
  const response = await asked.catch(() => undefined);
  if (response === undefined) return 'silent';
  const state: unknown = await response.json().catch(() => undefined);
  const isState = typeof state === 'object' && state !== null && 'people' in state;
  return response.ok && isState ? 'open' : 'closed';
}
