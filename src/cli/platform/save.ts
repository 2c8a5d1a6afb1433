import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  constants,
  copyFile,
  type FileHandle,
  link,
  lstat,
  open,
  realpath,
  rename,
  rm,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../clock.ts';
import { type BridgeError, codeOf, usage } from '../../errors.ts';
import type { Download } from '../../platform/api.ts';
import { listenForInterrupts } from '../own-process.ts';
import { plain } from '../print.ts';

/** Exit code after Ctrl-C, as shells use it. */
const INTERRUPTED = 130;
const RIGHTS = 0o777;
/** Maximum bytes of a file name. Most file systems allow 255. */
const MAX_NAME_BYTES = 180;
/** Maximum characters of a file extension that survives when a name is shortened. */
const MAX_ENDING = 16;

/**
 * Converts the platform's file name to one that is safe in a folder: without a path, not hidden, and not like a flag.
 * Returns `fallback` if no characters are left.
 */
export function safeName(name: string | undefined, fallback: string): string {
  const clean = plain(name ?? '')
    .replace(/\s+/g, ' ')
    .replace(/[\\/:*?"<>|]/g, '_')
    .replace(/^[\s.\-~_]+|[\s.]+$/g, '');
  if (clean === '') return fallback;
  const ending = /\.[^.]+$/.exec(clean)?.[0] ?? '';
  const suffix = ending.length <= MAX_ENDING ? ending : '';
  const stem = [...clean.slice(0, clean.length - suffix.length)];
  while (Buffer.byteLength(stem.join('') + suffix) > MAX_NAME_BYTES) stem.pop();
  return stem.join('') + suffix;
}

/**
 * Writes a download to a file and resolves with its size. Throws if the file exists, unless it may be overwritten. The
 * content is written to a temporary file first, so the file never appears incomplete, and an old file stays until the
 * last byte has arrived.
 */
export async function save(
  download: Download,
  path: string,
  existing: 'kept' | 'overwritten',
): Promise<number> {
  const old = await lstat(path).catch(() => undefined);
  if (old !== undefined && existing === 'kept') throw exists(path);
  const target = old === undefined ? path : await realpath(path).catch(() => path);
  const there = await lstat(target).catch(() => undefined);
  if (there?.isDirectory()) throw usage(`${path} is a folder. Give a file name with -o.`);
  // A device or a pipe cannot be replaced by a new file, so write to it directly.
  if (there !== undefined && !there.isFile())
    return intoFile(download, path, await opened(path, target, 'w'));
  const part = join(dirname(target), `.${randomUUID()}.part`);
  // Ctrl-C must find a listener as soon as the file exists.
  const interrupts = listenForInterrupts(systemClock);
  interrupts.onPress(() => {
    rmSync(part, { force: true });
    process.exit(INTERRUPTED);
  });
  try {
    const size = await intoFile(download, path, await opened(path, part, 'wx', there?.mode));
    if (existing === 'overwritten') await rename(part, target).catch(unwritable(path));
    else await place(part, path);
    return size;
  } finally {
    await rm(part, { force: true });
    interrupts.dispose();
  }
}

async function opened(path: string, at: string, flags: string, mode?: number): Promise<FileHandle> {
  const file = await open(at, flags).catch(unwritable(path));
  // `open` lowers the file's mode by the process's umask, so set the mode again. Some file systems have no modes.
  if (mode !== undefined) await file.chmod(mode & RIGHTS).catch(() => undefined);
  return file;
}

async function intoFile(download: Download, path: string, file: FileHandle): Promise<number> {
  try {
    let size = 0;
    for await (const chunk of download.bytes()) {
      await file.writeFile(chunk).catch(unwritable(path));
      size += chunk.byteLength;
    }
    return size;
  } finally {
    await file.close();
  }
}

/**
 * Gives the file its final name, unless another file has got that name meanwhile. Copies the file if the file system
 * has no hard links.
 */
async function place(part: string, path: string): Promise<void> {
  const refused = (thrown: unknown): never => {
    if (codeOf(thrown) === 'EEXIST') throw exists(path);
    return unwritable(path)(thrown);
  };
  await link(part, path).catch((thrown: unknown) =>
    codeOf(thrown) === 'EEXIST'
      ? refused(thrown)
      : copyFile(part, path, constants.COPYFILE_EXCL).catch(refused),
  );
}

const exists = (path: string): BridgeError =>
  usage(`${path} already exists. Give another file name with -o, or add --force to overwrite it.`);

const unwritable =
  (path: string) =>
  (thrown: unknown): never => {
    throw usage(`${path} cannot be written (${codeOf(thrown)}).`);
  };
