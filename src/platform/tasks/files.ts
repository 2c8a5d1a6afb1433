import { BridgeError } from '../../errors.ts';
import type { CallOptions, PlatformClient } from '../caller.ts';
import {
  type BatchItem,
  batchStatus,
  editFileMetadata,
  type FileItem,
  listFiles,
} from '../operations/files.ts';
import type { MetadataEntry } from '../operations/shared.ts';

/** Shortest and longest delay between two status requests, in milliseconds (platform contract FIL-3). */
const FIRST_LOOK_MS = 1000;
const LAST_LOOK_MS = 10_000;
/** Default maximum wait for files, in milliseconds (platform contract FIL-3). */
const LIMIT_MS = 600_000;

interface WaitOptions<Seen> {
  readonly signal?: AbortSignal;
  /** Maximum wait in milliseconds; ten minutes by default. */
  readonly limitMs?: number;
  /** Called after each status request. */
  readonly onProgress?: (seen: Seen) => void;
}

/**
 * Resolves with the files of a batch once each has succeeded or failed. An undocumented state counts as still in
 * progress. Throws `platform-timeout` when the maximum wait is over (platform contract FIL-3, STA-1).
 */
export function waitBatch(
  client: PlatformClient,
  stateId: string,
  options: WaitOptions<readonly BatchItem[]> = {},
): Promise<readonly BatchItem[]> {
  const look = (): Promise<readonly BatchItem[]> => client.call(batchStatus, { stateId }, signalOf(options));
  const settled = ({ state }: BatchItem): boolean => state === 'success' || state === 'fail';
  return until(client, `the batch ${stateId}`, { look, done: (items) => items.every(settled) }, options);
}

/**
 * Resolves with a file once agents can find it or its indexing has failed. Throws `platform-parameter` if the
 * workspace has no such file, and `platform-timeout` when the maximum wait is over (platform contract FIL-12, STA-2).
 */
export function waitIndexed(
  client: PlatformClient,
  { workspace, fileId }: { readonly workspace: string; readonly fileId: string },
  options: WaitOptions<FileItem> = {},
): Promise<FileItem> {
  const look = async (): Promise<FileItem> => {
    for await (const page of client.pages(listFiles, { workspace }, signalOf(options))) {
      const found = page.items.find(({ id }) => id === fileId);
      if (found !== undefined) return found;
    }
    throw new BridgeError('platform-parameter', `The workspace ${workspace} has no file ${fileId}.`);
  };
  const done = ({ chunkingState: state }: FileItem): boolean => state === 'success' || state === 'fail';
  return until(client, `the file ${fileId}`, { look, done }, options);
}

const signalOf = ({ signal }: { readonly signal?: AbortSignal }) => (signal === undefined ? {} : { signal });

interface Watched<Seen> {
  look(): Promise<Seen>;
  done(seen: Seen): boolean;
}

async function until<Seen>(
  { clock }: PlatformClient,
  what: string,
  { look, done }: Watched<Seen>,
  { signal = new AbortController().signal, limitMs = LIMIT_MS, onProgress }: WaitOptions<Seen>,
): Promise<Seen> {
  const began = clock.now();
  for (let delay = FIRST_LOOK_MS; ; delay = Math.min(delay * 2, LAST_LOOK_MS)) {
    const seen = await look();
    onProgress?.(seen);
    if (done(seen)) return seen;
    if (clock.now() - began + delay > limitMs) {
      throw new BridgeError('platform-timeout', `The platform did not finish ${what} within ${limitMs} ms.`);
    }
    await clock.wait(delay, signal);
  }
}

/**
 * Replaces the metadata of a file. Refuses an empty list, because it would delete all metadata; call
 * `clearFileMetadata` for that (platform contract FIL-10).
 */
export async function setFileMetadata(
  client: PlatformClient,
  { id, entries }: { readonly id: string; readonly entries: readonly MetadataEntry[] },
  options?: CallOptions,
): Promise<void> {
  if (entries.length === 0) {
    throw new BridgeError(
      'platform-parameter',
      'editFileMetadata was not sent: without entries, it would delete all metadata; to delete it, use clearFileMetadata.',
    );
  }
  await client.call(editFileMetadata, { id, metadataTemplate: [...entries] }, options);
}

/** Removes all metadata of a file (platform contract FIL-10). */
export async function clearFileMetadata(
  client: PlatformClient,
  id: string,
  options?: CallOptions,
): Promise<void> {
  await client.call(editFileMetadata, { id, metadataTemplate: [] }, options);
}
