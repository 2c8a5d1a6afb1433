import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { keyDeadlines, makeDirectory } from '../bridge/agents.ts';
import { fingerprintOf } from '../bridge/keys.ts';
import { makeOwnGateways } from '../bridge/own-agents.ts';
import { systemClock } from '../clock.ts';
import type { Loaded } from '../config/load.ts';
import type { PlatformSettings } from '../config/platform-setting.ts';
import { type Config, withPlatforms } from '../config/schema.ts';
import type { Agent, Finding } from '../core/agents/agent.ts';
import { quiet } from '../core/log.ts';
import { asBridgeError } from '../errors.ts';
import { cappedFetch } from '../kit/capped-fetch.ts';
import { timeLimit } from '../kit/time-limit.ts';
import { proxiesIn, traceRoutes } from '../outgoing.ts';
import { createPlatform } from '../platform/index.ts';
import { bracketed } from '../settings/values.ts';
import { type CommandDeps, checkChannels, loadSettings } from './channels.ts';
import type { LiveOptions } from './live/ports.ts';
import { findingLine, printResult } from './print.ts';
import { asRun } from './project.ts';
import { borrowSandbox } from './sandbox-process.ts';

interface DoctorOptions extends Omit<LiveOptions, 'live'> {
  readonly live?: string;
}

/** The oldest Node version that can run Parley. */
const NODE = 24;
/**
 * Maximum clock difference that is not reported as a fault, in milliseconds. The platform's signatures expire after
 * five minutes.
 */
const SKEW_MS = 60_000;
/** Maximum time for testing the sign-ins of all agents together, in milliseconds. */
const CHECK_MS = 30_000;
/** Maximum duration of the request to `/healthz` in milliseconds, and maximum bytes of its response. */
const HEALTH_MS = 5_000;
const HEALTH_BYTES = 64 * 1024;

/**
 * Checks everything that the configuration switches on. Resolves with the exit code: 0 if all checks pass, else 1. With
 * `live`, proves one channel instead.
 */
export async function doctor(options: DoctorOptions, deps: CommandDeps): Promise<number> {
  const { live } = options;
  if (live === 'platform')
    return (await import('./live/platform.ts')).livePlatform({ ...options, live }, deps);
  if (live !== undefined) return (await import('./live/live.ts')).live({ ...options, live }, deps);
  const trace = traceRoutes();
  const examined = await examine(options.config, deps);
  const findings = [...examined, ...proxyFindings(trace.stop())];
  const ok = findings.every((finding) => finding.ok);
  const lines = findings.map((finding) => asRun(findingLine(finding)));
  printResult(options.json, { ok, findings }, lines);
  return ok ? 0 : 1;
}

/** Says which calls took a proxy. Without a proxy in the environment, there is nothing to say. */
function proxyFindings(routes: ReadonlyMap<string, string>): readonly Finding[] {
  if (proxiesIn() === undefined) return [];
  return [...routes].map(([host, proxy]) => ({
    what: `proxy for ${host}`,
    ok: true,
    detail: proxy || 'none',
  }));
}

async function examine(file: string | undefined, deps: CommandDeps): Promise<readonly Finding[]> {
  const node = checkNode();
  const loaded = await tryFinding('configuration', () => loadSettings(deps, file));
  if ('ok' in loaded) return [node, loaded];
  const { config } = loaded;
  const where = loaded.file ?? 'no file, only variables and defaults';
  return [
    node,
    { what: 'configuration', ok: true, detail: where },
    ...(await checkStorage(config)),
    await checkPort(config),
    ...keyDeadlines(config, systemClock.now()),
    ...(await checkChannels(loaded)),
    ...(await checkPlatform(loaded)),
  ];
}

/** Resolves with the result of `work`. If `work` fails, resolves with a finding that names the failure. */
async function tryFinding<Given>(what: string, work: () => Promise<Given>): Promise<Given | Finding> {
  return work().catch((thrown: unknown) => ({ what, ok: false, detail: asBridgeError(thrown).message }));
}

function checkNode(): Finding {
  const { node } = process.versions;
  const ok = Number.parseInt(node, 10) >= NODE;
  return { what: 'Node', ok, detail: ok ? node : `${node} is too old. Install Node ${NODE} or later.` };
}

/** Checks the data folder, or the database that takes its place. */
async function checkStorage({ data, database, key }: Config): Promise<readonly Finding[]> {
  if (database === undefined || key === undefined) return [await checkData(data)];
  const { examineDatabase, withDatabase } = await import('../store/postgres/outside.ts');
  const own = { name: database.installation, fingerprint: fingerprintOf(key) };
  const findings = await tryFinding('database', () =>
    withDatabase(database.url.reveal().trim(), (query) => examineDatabase(query, own)),
  );
  return 'ok' in findings ? [findings] : [{ what: 'database', ok: true, detail: 'reached' }, ...findings];
}

async function checkData(folder: string): Promise<Finding> {
  const file = join(folder, '.doctor');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(file, '');
    await rm(file);
    return { what: 'data folder', ok: true, detail: `${folder} can be written` };
  } catch (thrown) {
    const { message } = asBridgeError(thrown);
    const cure = 'Allow this user to write there, or set PARLEY_DATA to another folder.';
    return { what: 'data folder', ok: false, detail: `${message}. ${cure}` };
  }
}

async function checkPort({ server: { host, port } }: Config): Promise<Finding> {
  const what = `port ${port}`;
  if (await canListen(host, port)) return { what, ok: true, detail: 'free' };
  const isOwn = await isHealthy(host, port);
  const detail = isOwn ? 'a bridge answers there' : 'something else uses it. Set PORT to a free port.';
  return { what, ok: isOwn, detail };
}

/** True if a bridge answers at the port of this machine. */
export async function isHealthy(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : bracketed(host);
  const signal = timeLimit(HEALTH_MS);
  const body: unknown = await cappedFetch(HEALTH_BYTES)(`http://${address}:${port}/healthz`, { signal })
    .then((response) => response.json())
    .catch(() => undefined);
  return typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok';
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function checkPlatform({ config, embedded }: Loaded): Promise<readonly Finding[]> {
  if (!embedded) return examinePlatforms(config);
  const sandbox = await tryFinding('sandbox', () => borrowSandbox(config));
  if ('ok' in sandbox) return [sandbox];
  try {
    const found = await examinePlatforms(withPlatforms(config, () => ({ baseUrl: sandbox.url })));
    return [{ what: 'answers', ok: true, detail: SANDBOX_ANSWERS }, ...found];
  } finally {
    await sandbox.stop();
  }
}

const SANDBOX_ANSWERS =
  'come from the sandbox, a demonstration platform, because no agent platform is configured (docs/your-agents.md)';

async function examinePlatforms(config: Config): Promise<readonly Finding[]> {
  const each = Object.entries(config.platforms).map((platform) => examinePlatform(config, platform));
  return (await Promise.all([...each, examineOwnAgents(config)])).flat();
}

/** Checks the agents that run without a platform. */
async function examineOwnAgents(config: Config): Promise<readonly Finding[]> {
  const own = { gatewayOf: makeOwnGateways({ clock: systemClock, random: Math.random }) };
  const { agents } = makeDirectory(config, { platforms: new Map(), own });
  const signal = timeLimit(CHECK_MS);
  return (await Promise.all([...agents.values()].map((agent) => checkAgent(agent, signal)))).flat();
}

async function examinePlatform(
  config: Config,
  [name, settings]: readonly [string, PlatformSettings],
): Promise<readonly Finding[]> {
  const client = createPlatform(settings, { clock: systemClock, log: quiet, random: Math.random });
  const what = `platform ${name}`;
  try {
    const signal = timeLimit(CHECK_MS);
    const { fault, date } = await client.check(signal);
    if (fault !== undefined) return [{ what, ok: false, detail: fault.message }];
    const skew = date === undefined ? [] : [checkClock(name, date)];
    const { agents } = makeDirectory(config, { platforms: new Map([[name, { client }]]) });
    const each = await Promise.all([...agents.values()].map((agent) => checkAgent(agent, signal)));
    return [{ what, ok: true, detail: `${settings.baseUrl} answers` }, ...skew, ...each.flat()];
  } finally {
    await client.close();
  }
}

function checkClock(platform: string, date: number): Finding {
  const off = Math.round((systemClock.now() - date) / 1000);
  const ok = Math.abs(off) * 1000 <= SKEW_MS;
  const detail = ok
    ? 'agrees with the platform'
    : `differs from the platform by ${off} s. Set this machine's clock.`;
  return { what: `platform ${platform}, clock`, ok, detail };
}

async function checkAgent({ name, gateway }: Agent, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings = await tryFinding(`agent ${name}`, () => gateway.check(signal));
  if ('ok' in findings) return [findings];
  return findings.map((finding) => ({ ...finding, what: `agent ${name}, ${finding.what}` }));
}
