import {
  type BatchItem,
  type FileItem,
  type PlatformClient,
  waitBatch,
  waitIndexed,
} from '../../platform/api.ts';
import { note } from './output.ts';

/** Operations for which the flag `--wait` exists. */
export const WAITS: ReadonlySet<string> = new Set(['uploadFile', 'uploadFiles']);

/** Waits until the uploaded files can be searched or have failed. On a terminal, prints the progress. */
export async function settled(
  operation: string,
  client: PlatformClient,
  request: Readonly<Record<string, unknown>>,
  result: unknown,
): Promise<unknown> {
  const { stateId, fileId } = members(result);
  if (operation === 'uploadFiles') {
    return waitBatch(client, stateId ?? '', {
      onProgress: (items) => {
        const done = items.filter(({ state }) => state === 'success' || state === 'fail').length;
        noteProgress(`Indexing: ${done} of ${items.length} files`);
      },
    });
  }
  const workspace = String(request.workspace);
  return waitIndexed(
    client,
    { workspace, fileId: fileId ?? '' },
    { onProgress: ({ chunkingState }) => noteProgress(`Reading: ${String(chunkingState)}`) },
  );
}

/** Returns a line for each uploaded file that the platform could not process. */
export function failures(result: unknown): readonly string[] {
  const files: readonly unknown[] = Array.isArray(result) ? result : [result];
  return files
    .map(fileOf)
    .filter(({ state, chunkingState }) => (state ?? chunkingState) === 'fail')
    .map(({ fileName, name, fileId, id, errorMsg, raw }) => {
      const reason = errorMsg ?? raw?.errorMsg;
      const cause = typeof reason === 'string' && reason !== '' ? reason : 'the platform sent no reason';
      return `${fileName ?? name ?? fileId ?? id ?? 'A file'} could not be indexed: ${cause}`;
    });
}

/** A processed file, as a batch or a list of files contains it. */
type SettledFile = Partial<BatchItem> & Partial<FileItem>;

const fileOf = (item: unknown): SettledFile => (typeof item === 'object' && item !== null ? item : {});

function members(result: unknown): { readonly stateId?: string; readonly fileId?: string } {
  return typeof result === 'object' && result !== null ? result : {};
}

function noteProgress(line: string): void {
  if (process.stderr.isTTY) note(line);
}
