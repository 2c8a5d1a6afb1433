import { createHash } from 'node:crypto';
import { extname, isAbsolute } from 'node:path';
import { inTransaction } from '../store/database.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { WorkspaceDeps } from './deps.ts';
import type { Workspace } from './workspaces.ts';

export interface NewFile {
  /** Clean: see `cleanName`. */
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Upload {
  readonly workspace: Workspace;
  /** User name. */
  readonly uploader: string;
  /** A file of the same name is overwritten and keeps its id; else both are kept (platform contract FIL-1). */
  readonly sameName: 'overwritten' | 'kept';
  /** Folder within the workspace, such as `/guides/`. */
  readonly folder: string;
}

const MIB = 1024 * 1024;
const NAME_CHARACTERS = 200;

/** Why the workspace does not take the file; undefined where it does. `more` are bytes that come with it. */
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

/** Keeps the file and puts it into the row of those to be read. */
export function keepUpload(deps: WorkspaceDeps, file: NewFile, upload: Upload): StoredDocument {
  const { database, clock, documents, uploads, indexing } = deps;
  const kept = inTransaction(database, () => {
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
  indexing.enqueue(kept);
  return kept;
}

/** A key that no file of a folder has: those are absolute paths. */
const pathOf = (workspace: string, fullPath: string): string => `upload:${workspace}${fullPath}`;

/** Two uploads of the same bytes are two versions. */
const hashOf = (bytes: Buffer, version: string): string =>
  createHash('sha256').update(version).update(bytes).digest('hex');

function freeName(
  { documents }: WorkspaceDeps,
  name: string,
  { workspace, sameName, folder }: Upload,
): string {
  if (sameName === 'overwritten') return name;
  const taken = (candidate: string) => documents.named(workspace.id, folder + candidate) !== undefined;
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let count = 0; ; count += 1) {
    const candidate = count === 0 ? name : `${stem} (${count})${extension}`;
    if (!taken(candidate)) return candidate;
  }
}

const extensionOf = (name: string): string => extname(name).slice(1).toLowerCase();

/** The last segment of the name, without what would not be shown or would turn it around (attack S11). */
export function cleanName(name: string): string {
  const last = name.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim();
  const extension = extname(plain).slice(0, 20);
  const stem = plain.slice(0, plain.length - extname(plain).length).slice(0, NAME_CHARACTERS);
  const whole = `${stem}${extension}`.toWellFormed();
  return /^\.*$/.test(whole) ? 'file' : whole;
}
