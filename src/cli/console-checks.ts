import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../config/loopback.ts';
import type { Config } from '../config/schema.ts';
import type { Finding } from '../core/agents/agent.ts';
import { pageFolder } from './console-settings.ts';

/** One look from outside may take this long. */
const LOOK_MS = 10_000;

/** What is found of the console: whether it is built, and whether strangers get in. */
export async function checkConsole(config: Config): Promise<readonly Finding[]> {
  if (!config.console.enabled) return [];
  const { publicUrl } = config.server;
  if (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)) return [checkPage()];
  return [checkPage(), await checkStrangers(publicUrl)];
}

function checkPage(): Finding {
  const ok = existsSync(join(pageFolder, 'index.html'));
  return { what: 'console page', ok, detail: ok ? 'built' : 'not built. Run `npm start`, which builds it.' };
}

/** A proxy or tunnel leads to the loopback address, where the console asks nobody who they are. */
export async function checkStrangers(publicUrl: string): Promise<Finding> {
  const what = 'console from outside';
  const found = await lookAt(publicUrl);
  if (found === 'silent') {
    const detail = `nothing answers at ${publicUrl}, so nobody gets in. Look again when the bridge runs.`;
    return { what, ok: true, detail };
  }
  if (found === 'closed') return { what, ok: true, detail: `lets no stranger in at ${publicUrl}` };
  const cure = 'Set PARLEY_CONSOLE_TOKEN, or console.enabled: false.';
  const detail = `whoever reaches ${publicUrl} can read and write there as anybody. ${cure}`;
  return { what, ok: false, detail };
}

/** Whether the console at this address serves whoever comes. */
async function lookAt(address: string): Promise<'open' | 'closed' | 'silent'> {
  const url = `${address.replace(/\/*$/, '')}/console/state`;
  const asked = fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(LOOK_MS) });
  const response = await asked.catch(() => undefined);
  if (response === undefined) return 'silent';
  const state: unknown = await response.json().catch(() => undefined);
  const isState = typeof state === 'object' && state !== null && 'people' in state;
  return response.ok && isState ? 'open' : 'closed';
}
