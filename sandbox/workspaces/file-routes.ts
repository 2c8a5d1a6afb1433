import type { Call } from '../http/call.ts';
import { codeMember } from '../http/codes.ts';
import type { Fields } from '../http/fields.ts';
import { integerMember, objectBody, requiredMember, textMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { jsonReply, openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { inTransaction } from '../store/database.ts';
import { openFile, openWorkspace, type WorkspaceDeps } from './deps.ts';
import { byModified, fileItem } from './file-view.ts';
import { checkMetadata } from './metadata.ts';

const BASE = '/v1/openapi/workspace/file';

/** Listing, reading, describing and deleting files (platform contract FIL-4 to FIL-10). */
export function fileRoutes(parts: WorkspaceDeps): readonly Route[] {
  return [
    { id: 'listFiles', method: 'POST', path: BASE, face: 'open', handle: (call) => list(parts, call) },
    {
      id: 'fileChunks',
      method: 'POST',
      path: `${BASE}/chunk`,
      face: 'open',
      handle: (call) => chunks(parts, call),
    },
    {
      id: 'fileMarkdown',
      method: 'POST',
      path: `${BASE}/downloadDocument2MD`,
      face: 'open',
      handle: (call) => markdown(parts, call),
    },
    {
      id: 'deleteFile',
      method: 'DELETE',
      path: `${BASE}/deleteFilePhysically`,
      face: 'open',
      handle: async (call) => remove(parts, call),
    },
    {
      id: 'editFileMetadata',
      method: 'PUT',
      path: `${BASE}/metadataExpansionEdit`,
      face: 'open',
      handle: (call) => editMetadata(parts, call),
    },
  ];
}

interface Paging {
  readonly pageIndex: number;
  readonly pageSize: number;
}

/** Largest page that is given; a larger wish is cut (our choice). */
const PAGE_SIZE_MOST = 1000;

/** Platform contract LIM-7. */
function pagingOf(fields: Fields): Paging {
  const pageIndex = integerMember(fields, 'pageIndex', 1);
  const pageSize = integerMember(fields, 'pageSize', 10);
  if (pageIndex < 1 || pageSize < 1) {
    throw declined('The parameters pageIndex and pageSize must be positive integers.');
  }
  return { pageIndex, pageSize: Math.min(pageSize, PAGE_SIZE_MOST) };
}

const pageOf = <T>(all: readonly T[], { pageIndex, pageSize }: Paging): readonly T[] =>
  all.slice((pageIndex - 1) * pageSize, pageIndex * pageSize);

async function list(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  const { gatekeeper, documents, options } = parts;
  const account = gatekeeper.openAccount(call);
  const fields = await objectBody(call);
  const workspace = openWorkspace(parts, account, requiredMember(fields, 'workspace'));
  const paging = pagingOf(fields);
  const all = documents.inWorkspace(workspace.id).toSorted(byModified);
  const data = pageOf(all, paging).map((document) => fileItem(document, parts, call.base));
  const totals = { exact: all.length, zero: 0, minusOne: -1 };
  const listing = { data, ...paging, totalCount: totals[options.totalCountMode] };
  return jsonReply(options.omitSuccessOnFileList ? listing : { success: true, msg: null, ...listing });
}

async function chunks(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAccount(call);
  const fields = await objectBody(call);
  const file = openFile(parts, call, requiredId(fields, 'fileId'));
  const format = textMember(fields, 'imageFormat') ?? 'markdown';
  if (format !== 'markdown' && format !== 'html') {
    throw declined('The parameter imageFormat must be markdown or html.');
  }
  const paging = pagingOf(fields);
  const all = parts.documents.chunksOf(file.id);
  const data = pageOf(all, paging).map(({ id, text }) => ({
    id,
    content: format === 'html' ? withHtmlImages(text) : text,
  }));
  return jsonReply({ success: true, msg: null, data, ...paging, totalCount: all.length });
}

const withHtmlImages = (text: string): string =>
  text.replace(
    /!\[([^\]]*)\]\((\d+)\)/g,
    (_whole, alt: string, id: string) => `<img alt="${alt.replace(/[<>&"]/g, '')}" src="${id}">`,
  );

/** Failures come as JSON with HTTP 200 (platform contract FIL-8). */
async function markdown(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAccount(call);
  const file = openFile(parts, call, requiredId(await objectBody(call), 'id'));
  if (file.state !== 'success') throw declined(`The file cannot be given as Markdown: it is ${file.state}.`);
  const text = parts.uploads.markdown(file.id) ?? textOfChunks(parts, file.id, file.title);
  const name = `${file.name.replace(/\.[^.]*$/, '')}.md`;
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${extendedName(name)}`,
      'x-content-type-options': 'nosniff',
    },
    body: text,
  };
}

/** What a folder's file was read as: its passages under their headings. */
function textOfChunks({ documents }: WorkspaceDeps, id: string, title: string): string {
  const passages = documents
    .chunksOf(id)
    .map(({ heading, text }) => (heading === '' ? text : `## ${heading}\n\n${text}`));
  return `# ${title}\n\n${passages.join('\n\n')}\n`;
}

/** As RFC 5987 spells it, which encodes four characters more than an address does. */
const extendedName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const asciiName = (name: string): string => name.replace(/[^\x20-\x7e]|["\\]/g, '_');

function remove(parts: WorkspaceDeps, call: Call): Reply {
  parts.gatekeeper.openAccount(call);
  const id = call.query.get('id') ?? '';
  if (!/^\d{1,19}$/.test(id)) throw declined('The parameter id must be the id of a file.');
  const file = openFile(parts, call, id);
  parts.documents.remove(file.id);
  return openReply(null);
}

async function editMetadata(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  const account = parts.gatekeeper.openAccount(call);
  const fields = await objectBody(call);
  const file = openFile(parts, call, requiredId(fields, 'id'));
  const { text: metadata, warnings } = checkMetadata(textMember(fields, 'metadataTemplate') ?? '');
  for (const warning of warnings) parts.warn(`file ${file.id}: ${warning}`);
  inTransaction(parts.database, () =>
    parts.documents.update({
      ...file,
      metadata,
      modified: parts.clock.now(),
      modifiedBy: account.userName,
    }),
  );
  return openReply(null);
}

/** Ids come as integers or as digits (platform contract GEN-9). */
function requiredId(fields: Fields, name: string): string {
  const id = codeMember(fields, name);
  if (id === undefined) throw declined(`The parameter ${name} is missing.`);
  if (!/^\d{1,19}$/.test(id)) throw declined(`The parameter ${name} must be an id.`);
  return id;
}
