/**
 * Measures how fast others are served, and how much memory the bridge needs, while one address holds thousands of
 * connections (target P21): bodies that never end, downloads that are not read, and idle consoles. The bridge and the
 * connections are in separate processes.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bridge, openBridge, openPlatform } from './channel/processes.ts';
import { atMost, type Figure, none, part, quantile } from './figure.ts';
import type { Crowd, Crowding } from './flood/crowd.ts';
import { cpuSeconds, residentMiB } from './usage.ts';

const TOKEN = 'a token of the console for the bench';
const FILE_MIB = 10;
const TARGET_MS = 100;
/** Maximum CPU time of the bridge in each second; unlike the times, it does not depend on other work of the machine. */
const CORES = 0.5;
/** Time until all connections are open, and time of the measurement, in milliseconds. */
const SETTLE_MS = 5_000;
const MEASURED_MS = 10_000;
const VISIT_EVERY_MS = 25;
const MIB = 1024 * 1024;
const CROWD = new URL('./flood/crowd.ts', import.meta.url);

interface Scene extends Pick<Crowding, 'connections' | 'beginning' | 'trickles' | 'reads'> {
  readonly name: string;
  /** Maximum growth of the bridge's memory, in MiB. */
  readonly mib: number;
  /** Number of connections that must stay open; 0 if the bridge may close them. */
  readonly stay: number;
}

export async function run(): Promise<readonly Figure[]> {
  await using opened = new AsyncDisposableStack();
  const settings = { line: '', environment: {}, console: `{ token: ${TOKEN} }` };
  const bridge = await openBridge(opened, await openPlatform(opened), settings);
  const cookie = await signIn(bridge);
  const file = await upload(bridge, cookie);
  const calm = await visits(bridge, cookie, MEASURED_MS);
  const figures = [atMost('P21: others without a crowd, p99', quantile(calm.times, 0.99), TARGET_MS)];
  for (const scene of scenes(cookie, file))
    figures.push(...(await part(scene.name, () => measure(bridge, cookie, scene))));
  return figures;
}

function scenes(cookie: string, file: string): readonly Scene[] {
  const head = (first: string, ...lines: readonly string[]) =>
    [`${first} HTTP/1.1`, 'host: 127.0.0.1', ...lines, '', ''].join('\r\n');
  const length = 'content-length: 10000';
  const json = 'content-type: application/json';
  const reading = { trickles: false, reads: true };
  const trickling = { connections: 5_000, trickles: true, reads: true, mib: 150, stay: 0 };
  return [
    {
      ...{ name: '5,000 trickled bodies that are read', ...trickling },
      beginning: head('POST /console/sign-in', json, length),
    },
    {
      ...{ name: '5,000 trickled bodies of refused requests', ...trickling },
      beginning: head('POST /console/rooms', json, length),
    },
    {
      ...{ name: `100 unread downloads of ${FILE_MIB} MiB`, connections: 100, trickles: false, reads: false },
      ...{ beginning: head(`GET /console/files/${file}`, `cookie: ${cookie}`), mib: 50, stay: 0 },
    },
    {
      ...{ name: '2,000 idle consoles', connections: 2_000, ...reading },
      ...{ beginning: head('GET /console/events', `cookie: ${cookie}`), mib: 150, stay: 2_000 },
    },
  ];
}

async function measure(bridge: Bridge, cookie: string, scene: Scene): Promise<readonly Figure[]> {
  const before = residentMiB(bridge.pid);
  const crowd = fork(CROWD, { execArgv: [] });
  try {
    crowd.send({ ...scene, port: portOf(bridge) } satisfies Crowding);
    await pause(SETTLE_MS);
    const [begun, cpu] = [performance.now(), cpuSeconds(bridge.pid)];
    const { times, refused } = await visits(bridge, cookie, MEASURED_MS);
    const cores = ((cpuSeconds(bridge.pid) - cpu) / (performance.now() - begun)) * 1_000;
    const mib = residentMiB(bridge.pid) - before;
    crowd.send('counts');
    const [{ open, answered }] = (await once(crowd, 'message')) as [Crowd];
    process.stderr.write(`\n    ${JSON.stringify({ open, answered })} `);
    const row = `P21: ${scene.name}`;
    const stayed = { name: `${row}, connections that stay open`, value: open, unit: '' };
    return [
      atMost(`${row}, others, p50`, quantile(times, 0.5), TARGET_MS),
      atMost(`${row}, others, p99`, quantile(times, 0.99), TARGET_MS),
      none(`${row}, others that were not served`, refused),
      { name: `${row}, cores`, value: cores, unit: 'cores', target: `<= ${CORES}`, ok: cores <= CORES },
      {
        ...{ name: `${row}, growth of the memory`, value: mib, unit: 'MiB' },
        ...{ target: `<= ${scene.mib} MiB`, ok: mib <= scene.mib },
      },
      ...(scene.stay > 0 ? [{ ...stayed, target: `>= ${scene.stay}`, ok: open >= scene.stay }] : []),
    ];
  } finally {
    const exit = once(crowd, 'exit');
    crowd.kill('SIGKILL');
    await exit;
  }
}

const portOf = ({ url }: Bridge): number => Number(new URL(url).port);

async function signIn({ url }: Bridge): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ token: TOKEN });
  const response = await fetch(`${url}/console/sign-in`, { method: 'POST', headers, body });
  return (response.headers.get('set-cookie') ?? '').replace(/;.*/, '');
}

async function upload({ url }: Bridge, cookie: string): Promise<string> {
  const address = `${url}/console/files?name=a.bin&as=operator`;
  const body = Buffer.alloc(FILE_MIB * MIB, 1);
  const response = await fetch(address, { method: 'POST', headers: { cookie }, body });
  return ((await response.json()) as { id: string }).id;
}

/** Reads the state of the console every 25 ms, each time over a new connection from 127.0.0.1. */
async function visits(bridge: Bridge, cookie: string, ms: number) {
  const times: number[] = [];
  let refused = 0;
  const running: Promise<void>[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await pause(VISIT_EVERY_MS)) {
    const begun = performance.now();
    const visit = visitOnce(portOf(bridge), { cookie });
    running.push(
      visit.then((status) => {
        if (status === 200) times.push(performance.now() - begun);
        else refused += 1;
      }),
    );
  }
  await Promise.all(running);
  return { times, refused };
}

function visitOnce(port: number, headers: IncomingHttpHeaders): Promise<number> {
  return new Promise((resolve) => {
    const path = '/console/state';
    get({ port, host: '127.0.0.1', path, headers, agent: false, timeout: SETTLE_MS }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', () => resolve(0))
      .on('timeout', () => resolve(0));
  });
}
