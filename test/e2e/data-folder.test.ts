/** Tests that only the owner can read the data folder of a running bridge, and that only one process can open it. */

import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eachWithBridge } from './house/bridge-rig.ts';
import { runToItsEnd } from './house/running-parley.ts';

const bridge = eachWithBridge();

/** Returns the names of files that other users may read or write. */
async function openToOthers(): Promise<readonly string[]> {
  const entries = await readdir(bridge.folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const modes = await Promise.all(files.map(async (file) => ({ file, mode: (await stat(file)).mode })));
  return modes
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ file }) => file.slice(bridge.folder.length + 1));
}

test('only the owner can read the data folder, also of an earlier version, and no second bridge opens it, even without the lock file', async () => {
  const people = await bridge.start();
  const file = await people.upload('note.txt', 'text/plain', Buffer.from('a private note'));
  await people.answer(await people.say('@echo look', { files: [file.id] }));
  expect(await readdir(join(bridge.folder, 'console.sqlite.files'))).toHaveLength(1);
  expect(await openToOthers()).toEqual([]);
  await bridge.kill();
  const own = join(bridge.folder, 'console.sqlite.files', file.id);
  for (const name of ['console.sqlite', 'parley.sqlite', 'parley.sqlite-wal', 'link.key'])
    await chmod(join(bridge.folder, name), 0o644);
  await chmod(own, 0o644);
  const again = await bridge.start();
  expect(await openToOthers()).toEqual([]);

  await rm(join(bridge.folder, 'parley.sqlite.lock'));
  const { code, written } = await runToItsEnd({ PARLEY_DATA: bridge.folder });
  expect(code).toBe(73);
  expect(written).toContain('Another process is using');
  expect((await again.answer(await again.say('@echo still here'))).reply.state).toBe('done');
});
