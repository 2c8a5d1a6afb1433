import { createHash } from 'node:crypto';
import { extname, isAbsolute } from 'node:path';
import { inTransaction } from '../store/database.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { WorkspaceDeps } from './deps.ts';
import type { Workspace } from './workspaces.ts';

export interface NewFile {
  /** Safe name, as `cleanName` returns it. */
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Upload {
  readonly workspace: Workspace;
  /** User name of the account that uploads. */
  readonly uploader: string;
  /**
   * What happens to an existing file with the same name: it is overwritten and keeps its id, or both files are kept
   * (platform contract FIL-1: upload).
   */
  readonly sameName: 'overwritten' | 'kept';
  /** Folder inside the workspace, such as `/guides/`. */
  readonly folder: string;
}

const MIB = 1024 * 1024;
const NAME_CHARACTERS = 200;

/**
 * Returns why the workspace refuses the file; undefined if it accepts the file. `more` is the total bytes of the
 * upload's files before this one.
 */
export function refusalOf(
  { documents }: WorkspaceDeps,
  { name, bytes }: NewFile,
  upload: Upload,
  more = 0,
): string | undefined {
  const { fileTypes, fileSize, quota, id } = upload.workspace;
  const type = extensionOf(name);
  if (fileTypes.length > 0 && !fileTypes.some((each) => each.replace(/^\./, '').toLowerCase() === type)) {
    return `The workspace takes files of type ${fileTypes.join(', ')} only, not ${name}.`;
  }
  if (bytes.length > fileSize * MIB) return `The file ${name} is larger than ${fileSize} MiB.`;
  if (bytes.length === 0) return `The file ${name} is empty.`;
  const replaced = upload.sameName === 'overwritten' ? documents.named(id, upload.folder + name) : undefined;
  if (replaced !== undefined && isAbsolute(replaced.path)) {
    return `The file ${name} is read from a folder of this computer and cannot be overwritten.`;
  }
  const used = documents.sizeOf(id) - (replaced?.size ?? 0) + more;
  return quota !== null && used + bytes.length > quota * MIB
    ? `The file ${name} does not fit into the quota of ${quota} MiB: ${(used / MIB).toFixed(1)} MiB are in use.`
    : undefined;
}

/** Stores the file and queues it for reading. */
export function keepUpload(deps: WorkspaceDeps, file: NewFile, upload: Upload): StoredDocument {
  const { database, clock, documents, uploads, indexing } = deps;
  const stored = inTransaction(database, () => {
    const name = freeName(deps, file.name, upload);
    const { id: workspace } = upload.workspace;
    const fullPath = `${upload.folder}${name}`;
    const document = documents.announce({
      workspace,
      path: pathOf(workspace, fullPath),
      name,
      title: name.slice(0, name.length - extname(name).length),
      type: extensionOf(name),
      size: file.bytes.length,
      hash: hashOf(file.bytes, deps.ids.next()),
      state: 'waiting',
      reason: '',
      fullPath,
      created: clock.now(),
      modified: clock.now(),
      createdBy: upload.uploader,
      modifiedBy: upload.uploader,
    });
    uploads.keep(document.id, file.bytes);
    return document;
  });
  indexing.enqueue(stored);
  return stored;
}

/** Returns the key of an uploaded file. It never equals the key of a file from a folder, which is an absolute path. */
const pathOf = (workspace: string, fullPath: string): string => `upload:${workspace}${fullPath}`;

/** Returns a hash that differs for each version, so that the same bytes uploaded again count as a changed file. */
const hashOf = (bytes: Buffer, version: string): string =>
  createHash('sha256').update(version).update(bytes).digest('hex');

function freeName(
  { documents }: WorkspaceDeps,
  name: string,
  { workspace, sameName, folder }: Upload,
): string {
  if (sameName === 'overwritten') return name;
  const isUsed = (candidate: string) => documents.named(workspace.id, folder + candidate) !== undefined;
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let count = 0; ; count += 1) {
    const candidate = count === 0 ? name : `${stem} (${count})${extension}`;
    if (!isUsed(candidate)) return candidate;
  }
}

const extensionOf = (name: string): string => extname(name).slice(1).toLowerCase();

/**
 * Returns the last segment of a name, without invisible characters and characters that change the direction of text
 * (attack S11: misleading names).
 */
export function cleanName(name: string): string {
  const last = name.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim();
  const extension = extname(plain).slice(0, 20);
  const stem = plain.slice(0, plain.length - extname(plain).length).slice(0, NAME_CHARACTERS);
  const whole = `${stem}${extension}`.toWellFormed();
  return /^\.*$/.test(whole) ? 'file' : whole;
}
