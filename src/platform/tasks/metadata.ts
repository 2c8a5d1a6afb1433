import { BridgeError } from '../../errors.ts';
import type { CallOptions, PlatformClient } from '../caller.ts';
import { editFileMetadata } from '../operations/files.ts';
import type { MetadataEntry } from '../operations/metadata.ts';

/** Replaces the metadata of a file. An empty list would clear it, which only `clearFileMetadata` does (platform contract FIL-10). */
export async function setFileMetadata(
  client: PlatformClient,
  { id, entries }: { readonly id: string; readonly entries: readonly MetadataEntry[] },
  options?: CallOptions,
): Promise<void> {
  if (entries.length === 0) {
    throw new BridgeError(
      'platform-parameter',
      'editFileMetadata was not sent: without entries the metadata would be cleared; use clearFileMetadata.',
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
