/** Tests what an operator of a container uses: the health check, a backup without a shell, and the metrics' token. */

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../bench/free-ports.ts';
import { runHere } from '../../fakes/run-here.ts';
import { ConsoleClient } from '../house/console-client.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from '../house/running-parley.ts';

const TOKEN = 'a-token-of-the-metrics';
let base: DataFolder;
let config: string;
let bridge: RunningParley;

beforeAll(async () => {
  base = await makeDataFolder();
  const [port] = await freePorts();
  config = join(base.path, 'parley.yaml');
  writeFileSync(
    config,
    `server: { port: ${port}, metricsToken: ${TOKEN} }\ndata: ${join(base.path, 'data')}\n`,
  );
  mkdirSync(join(base.path, 'data'));
  bridge = await start();
}, 120_000);
afterAll(async () => {
  await bridge.terminate();
  await base.remove();
});

const environment = () => ({ PARLEY_CONFIG: config, PARLEY_DATA: '', PORT: '', PARLEY_SANDBOX_PORT: '0' });
const start = () =>
  runParley({ path: join(base.path, 'data'), remove: async () => undefined }, environment());
const run = (...args: string[]) => runHere(args, { environment: environment() });

it('health asks at server.port', async () => {
  expect(await run('health')).toMatchObject({
    code: 0,
    out: expect.stringContaining(new URL(bridge.url).port),
  });
  const other = join(base.path, 'other.yaml');
  writeFileSync(other, `server: { port: ${(await freePorts())[0]} }\n`);
  expect(await run('health', '--config', other)).toMatchObject({
    code: 1,
    out: expect.stringContaining('No bridge'),
  });
});

it('the version is in the log, in /healthz, in the metrics and in status', async () => {
  const version = (await run('--version')).out.trim();
  expect(bridge.output()).toContain(`Parley ${version} starts`);
  expect(await (await fetch(`${bridge.url}/healthz`)).json()).toEqual({ status: 'ok', version });
  const metrics = await fetch(`${bridge.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(await metrics.text()).toContain(`parley_info{version="${version}"} 1`);
  expect((await run('status')).out).toContain(`version: ${version}\n`);
  expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({ version, running: 0 });
});

it.each([
  {},
  { authorization: 'Bearer wrong' },
  { authorization: `Basic ${TOKEN}` },
  { authorization: 'Bearer' },
])('metrics are refused with the headers %j', async (headers) => {
  const refused = await fetch(`${bridge.url}/metrics`, { headers });
  expect(refused.status).toBe(401);
  expect(await refused.text()).not.toContain('parley_turns');
});

it('a backup of a running bridge has the messages, and the restored bridge serves them', async () => {
  const before = new ConsoleClient(bridge.url);
  const question = await before.say('@echo keep this');
  await before.answer(question);
  const copy = join(base.path, 'copy');
  const made = await run('backup', copy);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(readdirSync(copy).toSorted()).toEqual([
    'backup.json',
    'console.sqlite',
    'console.sqlite.files',
    'link.key',
    'parley.sqlite',
    'parley.sqlite.pending',
    'state.key',
  ]);
  for (const name of readdirSync(copy)) expect(statSync(join(copy, name)).mode & 0o077).toBe(0);
  // A folder of somebody else whose name is like that of an unfinished copy.
  mkdirSync(`${copy}.part`);
  writeFileSync(join(`${copy}.part`, 'notes'), 'mine');
  expect(await run('backup', copy)).toMatchObject({
    code: 73,
    err: expect.stringContaining('Name a new folder'),
  });
  expect(readdirSync(base.path).filter((name) => name.startsWith('copy'))).toEqual(['copy', 'copy.part']);
  const restored = await runParley({ path: copy, remove: async () => undefined });
  const after = new ConsoleClient(restored.url);
  expect((await after.answer(question)).reply.text).toContain('keep this');
  await restored.terminate();
});

it('a backup without data names the data folder', async () => {
  const nothing = join(base.path, 'nothing.yaml');
  writeFileSync(nothing, `data: ${join(base.path, 'nowhere')}\n`);
  expect(await run('backup', join(base.path, 'x'), '--config', nothing)).toMatchObject({
    code: 64,
    err: expect.stringContaining('contains no parley.sqlite'),
  });
});
