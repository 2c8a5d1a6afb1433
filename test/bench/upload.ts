/** Measures the memory and speed of a large upload: from a sparse file to a server that discards it. */

import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { api, createPlatform, fileFromDisk } from '../../src/platform/api.ts';
import { Secret } from '../../src/secret.ts';
import { quiet } from '../fakes/quiet.ts';
import type { Figure } from './figure.ts';
import { startSink } from './sink.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 1024 * MIB;
const MAX_GROWTH_MIB = 64;

export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-upload-'));
  const path = await holes(join(folder, 'large.bin'), FILE_BYTES);
  const sink = await startSink();
  const platform = createPlatform(
    { baseUrl: sink.url, maxUploadBytes: FILE_BYTES },
    { clock: systemClock, log: quiet, random: Math.random },
  );
  try {
    const client = platform.client({ open: { kind: 'idp', token: async () => new Secret('token') } });
    const upload = async (path: string, onProgress: () => void) =>
      client.call(api.uploadFile, { workspace: 'a', file: await fileFromDisk(path) }, { onProgress });
    await upload(await holes(join(folder, 'small.bin'), MIB), () => undefined);
    gc();
    const before = process.memoryUsage.rss();
    let peak = before;
    const began = performance.now();
    await upload(path, () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    });
    const seconds = (performance.now() - began) / 1000;
    const growth = (peak - before) / MIB;
    return [
      {
        name: 'memory that an upload of 1 GiB adds',
        value: Math.round(growth * 10) / 10,
        unit: 'MiB',
        target: `<= ${MAX_GROWTH_MIB}`,
        ok: growth <= MAX_GROWTH_MIB,
      },
      {
        name: 'speed of that upload',
        value: Math.round(FILE_BYTES / MIB / seconds),
        unit: 'MiB/s',
        target: 'printed only',
        ok: true,
      },
    ];
  } finally {
    await platform.close();
    await sink.stop();
    await rm(folder, { recursive: true });
  }
}

/** Creates a sparse file of this size, which takes no space on the disk. */
async function holes(path: string, size: number): Promise<string> {
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.close();
  return path;
}

function gc(): void {
  const collect: unknown = Reflect.get(globalThis, 'gc');
  if (typeof collect === 'function') collect();
}
