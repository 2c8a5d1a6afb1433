import { systemClock } from '../../clock.ts';
import type { Finding } from '../../core/agents/agent.ts';
import { asBridgeError } from '../../errors.ts';
import { api, type CallOptions, isLoopback, type PlatformClient } from '../../platform/api.ts';
import { type CommandDeps, loadSettings } from '../channels.ts';
import { findingLine } from '../print.ts';
import { type AccessOptions, withPlatform } from './access.ts';
import { print, printJson } from './output.ts';

/**
 * Checks each platform, or the one that the options name: the address, its encryption, the connection and the clock
 * (platform contract GEN-1: base address; GEN-16: encryption; AUT-11: clock difference).
 */
export async function checkPlatform(options: AccessOptions, deps: CommandDeps): Promise<number> {
  const { config } = await loadSettings(deps, options.config);
  const names = options.platform === undefined ? Object.keys(config.platforms) : [options.platform];
  const findings: Finding[] = [];
  for (const platform of names) {
    const found = await examine({ ...options, platform }, deps);
    findings.push(...found.map((each) => ({ ...each, what: `platform ${platform}, ${each.what}` })));
  }
  return report(findings, options);
}

function examine(options: AccessOptions, deps: CommandDeps): Promise<readonly Finding[]> {
  return withPlatform(options, deps, async ({ baseUrl, embedded, check }) => {
    const { fault: wrong, date } = await check(new AbortController().signal);
    const where = embedded ? `${baseUrl} (the sandbox, because platform.baseUrl is not set)` : baseUrl;
    const findings = [
      { what: 'base address', ok: true, detail: where },
      wrong === undefined
        ? { what: 'reachable', ok: true, detail: 'answers' }
        : fault('reachable', wrong.message),
    ];
    if (isUnencrypted(baseUrl)) {
      findings.push(fault('encryption', 'http sends the credentials unencrypted. Use https.'));
    }
    if (date !== undefined) findings.push(clock(date));
    return findings;
  });
}

const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });

/** True if credentials would travel to another machine without encryption (platform contract GEN-16: https). */
function isUnencrypted(baseUrl: string): boolean {
  const url = URL.parse(baseUrl);
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

/** Maximum clock difference that is not a fault, in seconds. The platform accepts a signature for five minutes. */
const MAX_SKEW_SECONDS = 60;

function clock(date: number): Finding {
  const seconds = Math.round((systemClock.now() - date) / 1000);
  const ok = Math.abs(seconds) <= MAX_SKEW_SECONDS;
  const direction = seconds < 0 ? 'behind' : 'ahead of';
  const difference = `this machine's clock is ${Math.abs(seconds)} s ${direction} the platform's`;
  return { what: 'clock', ok, detail: ok ? difference : `${difference}. Set this machine's clock.` };
}

const API_KEY: Finding = {
  what: 'API key',
  ok: true,
  tested: false,
  detail: 'not tested: only a question to an agent can test an API key',
};

/** Tests each configured credential with a call that changes nothing (platform contract AUT-14: test of a sign-in). */
export function testSignIn(options: AccessOptions, deps: CommandDeps): Promise<number> {
  return withPlatform(options, deps, async ({ client, call, identity }) => {
    const { apiKey, lite, open, adminToken } = identity.credentials;
    const findings: Finding[] = [];
    if (open) findings.push(await tested('Open API', readOwnUser(client, call)));
    if (lite) findings.push(await tested('lite client', readMissingUser(client, call)));
    if (adminToken) findings.push(await tested('administrator', listOneClient(client)));
    if (apiKey) findings.push(API_KEY);
    if (findings.length === 0) {
      findings.push(fault('credentials', `no credentials are configured; set ${identity.from}`));
    }
    return report(findings, options);
  });
}

async function readOwnUser(client: PlatformClient, call: CallOptions): Promise<string> {
  const { userName = 'a user without a name' } = await client.call(api.me, {}, call);
  return `signed in as ${userName}`;
}

/**
 * Reads a user that does not exist. The platform checks the sign-in before the user's id, so the error "unknown user"
 * means that the sign-in was accepted.
 */
async function readMissingUser(client: PlatformClient, call: CallOptions): Promise<string> {
  await client.call(api.liteUser, { userId: '0' }, call).catch((error: unknown) => {
    if (asBridgeError(error).code !== 'platform-parameter') throw error;
  });
  return 'signed in';
}

async function listOneClient(client: PlatformClient): Promise<string> {
  await client.call(api.listClients, { pageSize: 1 });
  return 'accepted';
}

function tested(what: string, work: Promise<string>): Promise<Finding> {
  return work.then(
    (detail) => ({ what, ok: true, detail }),
    (error: unknown) => fault(what, asBridgeError(error).message),
  );
}

function report(findings: readonly Finding[], { json }: AccessOptions): number {
  const ok = findings.every((finding) => finding.ok);
  if (json) printJson({ ok, findings });
  else for (const finding of findings) print(findingLine(finding));
  return ok ? 0 : 1;
}
