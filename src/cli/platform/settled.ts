import { type PlatformClient, waitBatch, waitIndexed } from '../../platform/api.ts';
import { note } from './output.ts';

/** What `--wait` waits for. */
export const WAITS: ReadonlySet<string> = new Set(['uploadFile', 'uploadFiles']);

interface Uploaded {
  readonly client: PlatformClient;
  readonly request: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** The uploaded files once they can be found or failed, with each look told on a terminal. */
export async function settled(operation: string, { client, request, result }: Uploaded): Promise<unknown> {
  const { stateId, fileId } = members(result);
  if (operation === 'uploadFiles') {
    return waitBatch(client, stateId ?? '', {
      onProgress: (items) => {
        const done = items.filter(({ state }) => state === 'success' || state === 'fail').length;
        tell(`Reading: ${done} of ${items.length} files`);
      },
    });
  }
  const workspace = String(request.workspace);
  return waitIndexed(
    client,
    { workspace, fileId: fileId ?? '' },
    { onProgress: ({ chunkingState }) => tell(`Reading: ${String(chunkingState)}`) },
  );
}

function members(result: unknown): { readonly stateId?: string; readonly fileId?: string } {
  return typeof result === 'object' && result !== null ? result : {};
}

function tell(line: string): void {
  if (process.stderr.isTTY) note(line);
}
