import { systemClock } from '../../clock.ts';
import type { Finding } from '../../core/agents/agent.ts';
import { asBridgeError } from '../../errors.ts';
import { api, isLoopback, type PlatformClient } from '../../platform/api.ts';
import type { House } from '../channels.ts';
import { findingLine } from '../print.ts';
import { tryOnce } from '../reachable.ts';
import { type AccessOptions, withPlatform } from './access.ts';
import { print, printJson } from './output.ts';

interface CheckOptions extends AccessOptions {
  readonly json?: true;
}

/**
 * Prints the platform's address, its reachability and the difference of its clock (platform contract GEN-1, GEN-16,
 * AUT-11).
 */
export function checkPlatform(options: CheckOptions, house: House): Promise<number> {
  return withPlatform(options, house, async ({ baseUrl, embedded }) => {
    const tried = await tryOnce(baseUrl, systemClock, new AbortController().signal);
    const where = embedded ? `${baseUrl} (the sandbox, because platform.baseUrl is not set)` : baseUrl;
    const answers = tried.reached
      ? 'answers'
      : `cannot be reached (${tried.trouble}); check platform.baseUrl`;
    const findings: Finding[] = [
      { what: 'base address', ok: true, detail: where },
      { what: 'reachable', ok: tried.reached, detail: answers },
    ];
    if (isReadable(baseUrl)) {
      findings.push({
        what: 'encryption',
        ok: false,
        detail: 'http: credentials travel readable. Use https.',
      });
    }
    if (tried.reached && tried.date !== undefined) findings.push(clock(tried.date));
    return told(findings, options);
  });
}

/** True if credentials would travel unencrypted to another machine (platform contract GEN-16). */
function isReadable(baseUrl: string): boolean {
  const url = URL.parse(baseUrl);
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

/** Signatures are good for five minutes; a clock that is a minute off is worth setting. */
const SKEW_SECONDS = 60;

function clock(date: number): Finding {
  const off = Math.round((systemClock.now() - date) / 1000);
  const detail = `differs by ${off} s${Math.abs(off) > SKEW_SECONDS ? ". Set this machine's clock." : ''}`;
  return { what: 'clock', ok: Math.abs(off) <= SKEW_SECONDS, detail };
}

const KEY_UNTESTED = 'not tested: the first question shows if it is right';

/** Tries every credential that there is with a call that changes nothing (platform contract AUT-14). */
export function testSignIn(options: CheckOptions, house: House): Promise<number> {
  const call = options.as === undefined ? {} : { account: options.as };
  return withPlatform(options, house, async ({ client, credentials }) => {
    const { apiKey, lite, open, adminToken } = credentials;
    const findings: Finding[] = [
      ...(open === undefined ? [] : [await tried('Open API', whoAmI(client, call))]),
      ...(lite === undefined ? [] : [await tried('lite client', links(client, call))]),
      ...(adminToken === undefined ? [] : [await tried('administrator', clients(client))]),
      ...(apiKey === undefined
        ? []
        : [{ what: 'API key', ok: true, tested: false, detail: KEY_UNTESTED } as const]),
    ];
    if (findings.length === 0) {
      findings.push({
        what: 'credentials',
        ok: false,
        detail: 'none are configured: set platform.credentials',
      });
    }
    return told(findings, options);
  });
}

const whoAmI = async (client: PlatformClient, call: { readonly account?: string }): Promise<string> => {
  const { userName = 'somebody' } = await client.call(api.me, {}, call);
  return `signed in as ${userName}`;
};

/** A user that does not exist: the platform says so only to those whom it let in. */
const links = async (client: PlatformClient, call: { readonly account?: string }): Promise<string> => {
  await client.call(api.liteUser, { userId: '0' }, call).catch((error: unknown) => {
    if (asBridgeError(error).code !== 'platform-parameter') throw error;
  });
  return 'signed in';
};

const clients = async (client: PlatformClient): Promise<string> => {
  await client.call(api.listClients, { pageSize: 1 });
  return 'accepted';
};

function tried(what: string, work: Promise<string>): Promise<Finding> {
  return work.then(
    (detail) => ({ what, ok: true, detail }),
    (error: unknown) => ({ what, ok: false, detail: asBridgeError(error).message }),
  );
}

function told(findings: readonly Finding[], { json }: CheckOptions): number {
  const ok = findings.every((finding) => finding.ok);
  if (json) printJson({ ok, findings });
  else for (const finding of findings) print(findingLine(finding));
  return ok ? 0 : 1;
}
