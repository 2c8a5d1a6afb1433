/** The data folder of a running bridge: who may read its files, and who may open it. */

import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConsoleClient } from './house/console-client.ts';
import {
  type DataFolder,
  makeDataFolder,
  type RunningParley,
  runParley,
  runToItsEnd,
} from './house/running-parley.ts';

let data: DataFolder;
let parley: RunningParley | undefined;

beforeEach(async () => {
  data = await makeDataFolder();
});

afterEach(async () => {
  await parley?.kill();
  await data.remove();
});

async function start(): Promise<ConsoleClient> {
  parley = await runParley(data);
  return new ConsoleClient(parley.url);
}

/** Files by name that others than their owner may read or write. */
async function openToOthers(): Promise<readonly string[]> {
  const entries = await readdir(data.path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const modes = await Promise.all(files.map(async (file) => ({ file, mode: (await stat(file)).mode })));
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ file }) => file.slice(data.path.length + 1));
}

test('only the owner may read the files of the data folder, also those of an earlier version', async () => {
  const people = await start();
  const file = await people.upload('note.txt', 'text/plain', Buffer.from('a private note'));
  await people.answer(await people.say('@echo look', { files: [file.id] }));
  expect(await readdir(join(data.path, 'console.sqlite.files'))).toHaveLength(1);
  expect(await openToOthers()).toEqual([]);
  await parley?.kill();
  const own = join(data.path, 'console.sqlite.files', file.id);
  for (const name of ['console.sqlite', 'parley.sqlite', 'parley.sqlite-wal', 'link.key'])
    await chmod(join(data.path, name), 0o644);
  await chmod(own, 0o644);
  await start();
  expect(await openToOthers()).toEqual([]);
});

test('a second bridge is refused also where the file of the lock was deleted', async () => {
  const people = await start();
  await rm(join(data.path, 'parley.sqlite.lock'));
  const { code, written } = await runToItsEnd({ PARLEY_DATA: data.path });
  expect(code).toBe(73);
  expect(written).toContain('Another process is using');
  expect((await people.answer(await people.say('@echo still here'))).reply.state).toBe('done');
});
