import { createHash } from 'node:crypto';
import type { Call, Library, LibraryDocument, LibraryFile } from '../core/agents/library.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { BridgeError, type ErrorCode } from '../errors.ts';
import type { CallOptions, PlatformClient } from './caller.ts';
import { deleteFile, type FileItem, listFiles, uploadFile } from './operations/files.ts';
import type { WorkspaceFinder } from './tasks/workspaces.ts';

/** Milliseconds (30 days) for which an uploaded document is recognized by its bytes and not uploaded again. */
const KNOWN_MS = 30 * 24 * 60 * 60_000;
/** Number of a workspace's newest files among which an uploaded file is looked for. */
const LOOKED_THROUGH = 50;

interface AddingDeps {
  readonly client: PlatformClient;
  readonly finder: WorkspaceFinder;
  readonly known: Keyed;
}

/**
 * Creates the functions that add and remove documents of knowledge workspaces. The same content is uploaded only
 * once.
 */
export function createAdding(deps: AddingDeps): Pick<Library, 'add' | 'stateOf' | 'remove'> {
  const { client, known } = deps;
  return {
    async add(document, workspace, call) {
      const key = keyOf(document, workspace);
      const { id: workspaceId } = await deps.finder.find(workspace, optionsOf(call));
      const before = await known.get(key);
      const files = await newest({ ...deps, workspace, call });
      const there = before === undefined ? undefined : lookUp(before, document, files);
      if (there !== undefined) {
        await known.set(key, there, KNOWN_MS, 'nobody');
        return { id: there, workspace: workspaceId, known: before === there };
      }
      // Store the ids of older files before the upload. If the response to the upload is lost, the next attempt finds the
      // file by its name among the others, and does not upload it twice.
      const older = files.filter((each) => each.name === document.name).map(({ id }) => id);
      await known.set(key, older, KNOWN_MS, 'nobody');
      const id = await upload(document, { ...deps, workspace, call }).catch(async (thrown: unknown) => {
        // Otherwise, the next attempt would take an older file of the same name for this document.
        if (wasRefused(thrown)) await known.delete(key);
        throw thrown;
      });
      await known.set(key, id, KNOWN_MS, 'nobody');
      return { id, workspace: workspaceId, known: false };
    },
    async stateOf(id, workspace, call) {
      const found = await newest({ ...deps, workspace, call });
      const file = found.find((each) => each.id === id);
      return file && stateOf(file);
    },
    async remove(id, _workspace, call) {
      await client.call(deleteFile, { id }, optionsOf(call));
    },
  };
}

/** Errors of a call that the platform has certainly not carried out. */
const REFUSED: ReadonlySet<ErrorCode> = new Set([
  'platform-busy',
  'platform-auth',
  'platform-permission',
  'platform-parameter',
  'platform-refused',
] as const);

export const wasRefused = (thrown: unknown): boolean =>
  thrown instanceof BridgeError && REFUSED.has(thrown.code);

interface Adding extends AddingDeps {
  readonly workspace: string;
  readonly call: Call;
}

/** @param known the document's id, or the ids of older files of its name; blank in values of earlier versions */
function lookUp(
  known: unknown,
  { name, bytes: { byteLength } }: LibraryDocument,
  files: readonly FileItem[],
): string | undefined {
  const older: readonly unknown[] = Array.isArray(known) ? known : [];
  const isSent = ({ id, name: its, size = byteLength }: FileItem) =>
    its === name && size === byteLength && !older.includes(id);
  const isId = typeof known === 'string' && known !== '';
  const file = files.find((each) => (isId ? each.id === known : isSent(each)));
  return file === undefined || stateOf(file) === 'failed' ? undefined : file.id;
}

async function upload(document: LibraryDocument, adding: Adding): Promise<string> {
  const { client, finder, call } = adding;
  const options = optionsOf(call);
  const { name: workspace } = await finder.find(adding.workspace, options);
  const { name, type, bytes } = document;
  const file = { name, type, size: bytes.byteLength, open: () => once(bytes) };
  const { fileId } = await client.call(uploadFile, { workspace, file }, options);
  // Some deployments do not return the id of an uploaded file (platform contract DEC-25).
  const id = fileId ?? (await newest(adding)).find((each) => each.name === name)?.id;
  if (id !== undefined) return id;
  throw new BridgeError('platform-protocol', 'The platform accepted a document but does not list it.');
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function newest({ client, finder, workspace, call }: Adding): Promise<readonly FileItem[]> {
  const options = optionsOf(call);
  const { name } = await finder.find(workspace, options);
  return (await client.call(listFiles, { workspace: name, pageSize: LOOKED_THROUGH }, options)).items;
}

function keyOf({ bytes }: LibraryDocument, workspace: string): string {
  return JSON.stringify([workspace, createHash('sha256').update(bytes).digest('hex')]);
}

export const optionsOf = ({ account, signal }: Call): CallOptions => ({
  signal,
  ...(account !== undefined && { account }),
});

/**
 * Returns whether agents can find the file. An undocumented state counts as still indexing (platform contract STA-2).
 */
export function stateOf({ chunkingState: state }: FileItem): LibraryFile['state'] {
  if (state === 'success') return 'ready';
  return state === 'fail' ? 'failed' : 'indexing';
}
