import type { SandboxAccount } from '../fixtures.ts';
import { type Form, readForm } from '../http/body.ts';
import { noBody, operations, param, type Route } from '../http/operation.ts';
import { declined, known, openReply, type Reply } from '../http/reply.ts';
import type { StoredDocument } from '../store/documents.ts';
import { openWorkspace, type WorkspaceDeps } from './deps.ts';
import { cleanName, keepUpload, type NewFile, refusalOf, type Upload } from './upload.ts';
import type { BatchFile } from './uploads.ts';

const BASE = '/v1/openapi/workspace/file/upload';

/**
 * Maximum files of one upload, maximum bytes of each, and maximum bytes of all together. The values are the sandbox's
 * choice (platform contract FIL-11: limits).
 */
const LIMITS = { files: 50, bytesEach: 100 * 1024 * 1024, bytesInAll: 200 * 1024 * 1024 };

/** Maximum depth of folders in a path. */
const MAX_FOLDERS = 32;

/**
 * Routes that upload files, in the Open API and in the lite interface (platform contract FIL-1 to FIL-3, ADM-13,
 * ADM-14).
 */
export function fileUploadRoutes(deps: WorkspaceDeps): readonly Route[] {
  const open = operations('open', deps.gatekeeper.openAccount);
  const lite = operations('open', deps.gatekeeper.liteAccount);
  return [
    open('uploadFile', `POST ${BASE}`, noBody, async ({ call, caller }) => {
      const form = await readForm(call.request, LIMITS);
      const upload = uploadOf(deps, caller, form);
      const [file, ...others] = filesOf(form, 'file');
      if (file === undefined) throw declined('The parameter "file" is missing.');
      if (others.length > 0)
        throw declined('The parameter "file" takes one file; send more with batchSubmit.');
      const refusal = refusalOf(deps, file, upload);
      if (refusal !== undefined) throw declined(refusal);
      const { id, name } = keepUpload(deps, file, upload);
      return openReply({ fileId: id, fileName: name, uploader: upload.uploader });
    }),
    open('uploadFiles', `POST ${BASE}/batchSubmit`, noBody, async ({ call, caller }) => {
      const form = await readForm(call.request, LIMITS);
      const upload = uploadOf(deps, caller, form);
      const wanted = filesOf(form, 'files');
      if (wanted.length === 0) throw declined('The parameter "files" is missing.');
      const files = wanted.map((file) => keepOrRefuse(deps, file, upload));
      const { workspace, uploader } = upload;
      return openReply({ stateId: deps.batches.add(workspace.id, uploader, files) });
    }),
    open('batchStatus', `GET ${BASE}/batchSubmit/{stateId}`, noBody, ({ call, caller }) => {
      const stateId = param(call, 'stateId');
      const batch = known(deps.batches.withId(stateId), `batch ${stateId}`);
      openWorkspace(deps, caller, batch.workspace);
      return openReply(deps.batches.filesOf(stateId).map((file) => statusOf(deps, file, batch.uploader)));
    }),
    lite('liteUploadFiles', 'POST /Api/Workspace/File/UploadFiles', noBody, async ({ call, caller }) =>
      uploadLite(deps, caller, await readForm(call.request, LIMITS)),
    ),
  ];
}

/**
 * Stores a file of a batch, or records why it was refused. A refusal does not affect the batch's other files (platform
 * contract FIL-3: batches).
 */
function keepOrRefuse(deps: WorkspaceDeps, file: NewFile, upload: Upload): BatchFile {
  const refusal = refusalOf(deps, file, upload);
  if (refusal !== undefined) return { name: file.name, document: '', refusal };
  const { id, name } = keepUpload(deps, file, upload);
  return { name, document: id, refusal: '' };
}

/** Returns the state of a file in a batch: `underway`, then `success` or `fail` (platform contract STA-1). */
function statusOf({ documents, uploads }: WorkspaceDeps, file: BatchFile, uploader: string) {
  const document = documents.find(file.document);
  const common = { fileId: file.document, fileName: file.name, uploader };
  if (document === undefined) {
    const errorMsg = file.refusal === '' ? 'The file was deleted.' : file.refusal;
    return { ...common, state: 'fail', errorMsg, finishTime: '' };
  }
  const done = document.state === 'success' || document.state === 'fail';
  const finished = uploads.finished(document.id);
  return {
    ...common,
    state: done ? document.state : 'underway',
    errorMsg: document.reason,
    finishTime: done && finished !== undefined ? new Date(finished).toISOString() : '',
  };
}

/**
 * Handles an upload in the lite interface. The platform's documentation calls all fields of the form optional, but the
 * sandbox requires the workspace, because it must store the files somewhere.
 */
function uploadLite(deps: WorkspaceDeps, account: SandboxAccount, form: Form): Reply {
  const { fields } = form;
  const named = uploadOf(deps, account, form, { workspace: 'WorkspaceId', cover: 'IsCover' });
  if (!/^\d{0,19}$/.test(fields.get('UserId') ?? ''))
    throw declined('The parameter "UserId" must be an integer.');
  const fullPath = fields.get('FullPath') ?? '';
  const upload = { ...named, folder: folderOf(fullPath) };
  const workspaceId = BigInt(upload.workspace.id);
  const files = filesOf(form, 'Files');
  // The path of a single file includes its name. Several files can only share the folder.
  const name = files.length === 1 && /[^\\/]$/.test(fullPath) ? { name: cleanName(fullPath) } : {};
  const stored = keepAll(
    deps,
    files.map((file) => ({ ...file, ...name })),
    upload,
  );
  return openReply(stored.map(({ id, fullPath }) => ({ workspaceId, fullName: fullPath, id: BigInt(id) })));
}

/** Stores all files of the upload. If one of them is refused, stores none. */
function keepAll(deps: WorkspaceDeps, files: readonly NewFile[], upload: Upload): readonly StoredDocument[] {
  if (files.length === 0) throw declined('The parameter "Files" is missing.');
  let before = 0;
  for (const file of files) {
    const refusal = refusalOf(deps, file, upload, before);
    if (refusal !== undefined) throw declined(refusal);
    before += file.bytes.length;
  }
  return files.map((file) => keepUpload(deps, file, upload));
}

/** Returns the folder in a path. Removes segments such as `..`, which lead out of the folder. */
function folderOf(fullPath: string): string {
  const segments = fullPath.split(/[\\/]/).slice(0, -1);
  const plain = segments.filter((segment) => segment !== '' && !/^\.+$/.test(segment)).map(cleanName);
  if (plain.length > MAX_FOLDERS)
    throw declined(`The parameter "FullPath" has more than ${MAX_FOLDERS} folders.`);
  return plain.length === 0 ? '/' : `/${plain.join('/')}/`;
}

/** Returns the files in one field of the form, with safe names. */
const filesOf = ({ files }: Form, member: string): readonly NewFile[] =>
  files.filter(({ field }) => field === member).map(({ name, bytes }) => ({ name: cleanName(name), bytes }));

/** Names of the fields of an upload in the Open API. */
const FIELDS = { workspace: 'workspace', cover: 'eponymousCover' };

function uploadOf(deps: WorkspaceDeps, account: SandboxAccount, { fields }: Form, names = FIELDS): Upload {
  const workspace = openWorkspace(deps, account, requiredField(fields, names.workspace));
  const sameName = flagField(fields, names.cover) ? 'overwritten' : 'kept';
  return { workspace, uploader: account.userName, sameName, folder: '/' };
}

function requiredField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name)?.trim() ?? '';
  if (value === '') throw declined(`The parameter "${name}" is missing.`);
  return value;
}

function flagField(fields: ReadonlyMap<string, string>, name: string): boolean {
  const value = (fields.get(name) ?? 'false').trim().toLowerCase();
  if (value !== 'true' && value !== 'false') throw declined(`The parameter "${name}" must be true or false.`);
  return value === 'true';
}
