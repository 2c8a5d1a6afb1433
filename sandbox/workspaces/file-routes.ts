import { z } from 'zod';
import { noBody, operations, type Route } from '../http/operation.ts';
import { declined, jsonReply, type Reply } from '../http/reply.ts';
import { digits, integer, record, requiredCode, requiredText, text } from '../http/schema.ts';
import { inTransaction } from '../store/database.ts';
import { type Documents, type StoredDocument, sharePath } from '../store/documents.ts';
import { openFile, openWorkspace, type WorkspaceDeps } from './deps.ts';
import { checkMetadata, showsPreviews } from './settings.ts';

const BASE = '/v1/openapi/workspace/file';

/** Maximum items on a page. A larger `pageSize` is lowered to this maximum; that is the sandbox's choice. */
const MAX_PAGE_SIZE = 1000;
const POSITIVE = 'The parameters pageIndex and pageSize must be positive integers.';

/** Page index and page size of lists of files, with their defaults (platform contract LIM-7). */
const paging = {
  pageIndex: integer(1).refine((index) => index >= 1, POSITIVE),
  pageSize: integer(10)
    .refine((size) => size >= 1, POSITIVE)
    .transform((size) => Math.min(size, MAX_PAGE_SIZE)),
};

type Paging = z.output<z.ZodObject<typeof paging>>;

/** Routes that list, read, describe and delete files (platform contract FIL-4 to FIL-10: files). */
export function fileRoutes(deps: WorkspaceDeps): readonly Route[] {
  const { documents, options } = deps;
  const open = operations('open', deps.gatekeeper.openAccount);
  return [
    open('listFiles', `POST ${BASE}`, record({ workspace: requiredText, ...paging }), (call) => {
      const { workspace, ...page } = call.body;
      const { id } = openWorkspace(deps, call.caller, workspace);
      const all = documents.inWorkspace(id).toSorted(byModified);
      const data = pageOf(all, page).map((document) => fileItem(document, deps, call.call.base));
      const totals = { exact: all.length, zero: 0, minusOne: -1 };
      const listing = { data, ...page, totalCount: totals[options.totalCountMode] };
      return jsonReply(options.omitSuccessOnFileList ? listing : { success: true, msg: null, ...listing });
    }),
    open(
      'fileChunks',
      `POST ${BASE}/chunk`,
      record({ fileId: requiredCode, imageFormat, ...paging }),
      ({ body, caller }) => {
        const { pageIndex, pageSize } = body;
        const file = openFile(deps, caller, body.fileId);
        const all = documents.chunksOf(file.id);
        const data = pageOf(all, body).map(({ id, text: content }) => ({
          id,
          content: body.imageFormat === 'html' ? withHtmlImages(content) : content,
        }));
        return jsonReply({ success: true, msg: null, data, pageIndex, pageSize, totalCount: all.length });
      },
    ),
    open('fileMarkdown', `POST ${BASE}/downloadDocument2MD`, record({ id: digits }), ({ body, caller }) =>
      markdown(deps, openFile(deps, caller, body.id)),
    ),
    open('deleteFile', `DELETE ${BASE}/deleteFilePhysically`, noBody, ({ call, caller }) => {
      const id = call.query.get('id') ?? '';
      if (!/^\d{1,19}$/.test(id)) throw declined('The parameter "id" must be the id of a file.');
      documents.remove(openFile(deps, caller, id).id);
    }),
    open('editFileMetadata', `PUT ${BASE}/metadataExpansionEdit`, edit, ({ body, caller }) => {
      const { text: metadata, warnings } = checkMetadata(body.metadataTemplate ?? '');
      const file = openFile(deps, caller, body.id);
      for (const warning of warnings) deps.warn(`file ${file.id}: ${warning}`);
      const modified = { modified: deps.clock.now(), modifiedBy: caller.userName };
      inTransaction(deps.database, () => documents.update({ ...file, metadata, ...modified }));
    }),
  ];
}

const imageFormat = z.enum(['markdown', 'html'], 'must be markdown or html').nullish();
const edit = record({ id: digits, metadataTemplate: text });

const pageOf = <T>(all: readonly T[], { pageIndex, pageSize }: Paging): readonly T[] =>
  all.slice((pageIndex - 1) * pageSize, pageIndex * pageSize);

const withHtmlImages = (text: string): string =>
  text.replace(
    /!\[([^\]]*)\]\((\d+)\)/g,
    (_whole, alt: string, id: string) => `<img alt="${alt.replace(/[<>&"]/g, '')}" src="${id}">`,
  );

/** Replies with the file as Markdown. A failure is sent as JSON with HTTP 200 (platform contract FIL-8: download). */
function markdown({ uploads, documents }: WorkspaceDeps, file: StoredDocument): Reply {
  if (file.state !== 'success')
    throw declined(`The file cannot be returned as Markdown, because its state is ${file.state}.`);
  const name = `${file.name.replace(/\.[^.]*$/, '')}.md`;
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${extendedName(name)}`,
      'x-content-type-options': 'nosniff',
    },
    body: uploads.markdown(file.id) ?? textOfChunks(documents, file),
  };
}

/** Returns the text of a file that was read from a folder: its passages under their headings. */
function textOfChunks(documents: Documents, { id, title }: StoredDocument): string {
  const passages = documents
    .chunksOf(id)
    .map(({ heading, text }) => (heading === '' ? text : `## ${heading}\n\n${text}`));
  return `# ${title}\n\n${passages.join('\n\n')}\n`;
}

/** Encodes a name by RFC 5987, which encodes four more characters than `encodeURIComponent`. */
const extendedName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const asciiName = (name: string): string => name.replace(/[^\x20-\x7e]|["\\]/g, '_');

/** Returns a file as lists contain it (platform contract FIL-6: properties of a file). */
function fileItem(
  document: StoredDocument,
  { accounts, options, workspaces }: WorkspaceDeps,
  base: string,
): Readonly<Record<string, unknown>> {
  const { id, name, size, fullPath, state, created, modified, createdBy, modifiedBy } = document;
  const isPreviewed = showsPreviews(workspaces.withId(document.workspace)?.settings ?? '');
  const readable = isPreviewed && state === 'success';
  const realName = (userName: string) => accounts.named(userName)?.realName ?? userName;
  return {
    ...(options.fileItemVariant === 'seen' ? { id: BigInt(id), fileName: name } : { id, name }),
    size,
    description: document.reason,
    fullPath,
    tags: [],
    chunkingState: state,
    previewState: isPreviewed ? state : 'waiting',
    fileCanPreview: readable,
    ...(readable && { previewUrl: `${base}${sharePath(id)}` }),
    createdByRealName: realName(createdBy),
    createdByAccount: createdBy,
    modifiedByRealName: realName(modifiedBy),
    modifiedByAccount: modifiedBy,
    created: new Date(created).toISOString(),
    modified: new Date(modified).toISOString(),
  };
}

/** Sorts by the time of the last change, newest first, then by id, highest first (platform contract FIL-5: order). */
const byModified = (one: StoredDocument, other: StoredDocument): number =>
  other.modified - one.modified || (other.id > one.id ? 1 : -1);
