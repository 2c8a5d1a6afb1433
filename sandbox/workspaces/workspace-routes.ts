import { z } from 'zod';
import { mayUse } from '../fixtures.ts';
import { asFields } from '../http/json.ts';
import { control, noBody, operations, type Route } from '../http/operation.ts';
import { declined, jsonReply, known, openReply } from '../http/reply.ts';
import {
  anyBody,
  declinedBy,
  flag,
  parse,
  record,
  required,
  requiredCode,
  requiredText,
  text,
  texts,
  whole,
} from '../http/schema.ts';
import { inTransaction } from '../store/database.ts';
import { idsOf, openWorkspace, type WorkspaceDeps } from './deps.ts';
import { fileRoutes } from './file-routes.ts';
import { checkMetadata, checkSettings } from './settings.ts';
import { typeRoutes } from './type-routes.ts';
import { fileUploadRoutes } from './upload-routes.ts';
import { plainWorkspace, type Workspace } from './workspaces.ts';

const BASE = '/v1/openapi/workspace';

/** All routes about knowledge: workspaces, their types, files, and question-answer pairs. */
export const knowledgeRoutes = (deps: WorkspaceDeps): readonly Route[] => [
  ...workspaceRoutes(deps),
  ...typeRoutes(deps),
  ...fileUploadRoutes(deps),
  ...fileRoutes(deps),
  ...inspectionRoutes(deps),
];

/** Routes of knowledge workspaces and of question-answer pairs (platform contract WSP-1 to WSP-10, QNA-1). */
function workspaceRoutes(deps: WorkspaceDeps): readonly Route[] {
  const { gatekeeper, workspaces, documents, pairs } = deps;
  const open = operations('open', gatekeeper.openAccount);
  const write = operations('open', gatekeeper.administrator('to write knowledge workspaces'));
  return [
    // Lists the categories, each with the workspaces that the caller may use. Ids of categories are integers (platform
    // contract WSP-1).
    open('listWorkspaces', `GET ${BASE}/all`, noBody, ({ caller }) => {
      const usable = workspaces.list().filter(({ id, enable }) => enable && mayUse(caller, id));
      const all = documents.list();
      const rows = usable.map(({ id, name, description, operationKeys, category }) => {
        const fileCount = all.filter(({ workspace }) => workspace === id).length;
        return { category, workspace: { id, name, description, operationKeys, fileCount } };
      });
      return openReply(
        workspaces.categories().map(({ id, name, icon }) => ({
          id: BigInt(id),
          name,
          icon,
          workspaces: rows.filter(({ category }) => category === id).map(({ workspace }) => workspace),
        })),
      );
    }),
    write('createWorkspace', `POST ${BASE}/create`, record(shapeOf(plainWorkspace)), ({ body }) =>
      openReply(workspaces.add({ ...plainWorkspace, ...resolved(deps, body) }).id),
    ),
    write('updateWorkspace', `POST ${BASE}/update`, anyBody, ({ body }) => {
      const { id } = parse(record({ id: requiredCode }), body, declinedBy);
      const before = workspaces.need(id);
      parse(checkedOnly, body, declinedBy);
      const wanted = parse(record({ ...shapeOf(before), metadataTemplate: text }), body, declinedBy);
      const metadata = checkMetadata(wanted.metadataTemplate ?? before.metadataTemplate);
      const changed = resolved(deps, wanted, before);
      for (const warning of metadata.warnings) deps.warn(`workspace ${id}: ${warning}`);
      workspaces.save({ ...before, ...changed, metadataTemplate: metadata.text });
    }),
    write('deleteWorkspaces', `DELETE ${BASE}/delete`, noBody, async ({ call }) => {
      const found = (await idsOf(call)).map((id) => workspaces.need(id));
      for (const { id: workspace } of found) {
        for (const { id } of documents.inWorkspace(workspace)) documents.remove(id);
      }
      inTransaction(deps.database, () => {
        for (const { id } of found) {
          for (const pair of pairs.list()) if (pair.workspace === id) pairs.remove(pair.id);
          workspaces.remove(id);
        }
      });
    }),
    open('createQna', `POST ${BASE}/qna/create`, pair, ({ body, caller }) => {
      const { id } = openWorkspace(deps, caller, body.workspace);
      pairs.add({ ...body, workspace: id, createdBy: caller.userName });
    }),
  ];
}

const pair = record({
  workspace: requiredText,
  questions: whole(z.array(requiredText).min(1), 'must be an array of at least one question'),
  answer: requiredText,
  metadatas: whole(
    z.array(z.object({ typeCode: z.string().min(1), content: z.string().min(1) })).nullish(),
    'must be an array of objects with typeCode and content',
  ).transform((given) => given ?? []),
});

type Rest = Pick<
  Workspace,
  'notice' | 'quota' | 'fileSize' | 'fileTypes' | 'enable' | 'operationKeys' | 'settings'
>;

const NOT_TEXT = 'The parameter "settings" must be a JSON object in a string.';

/**
 * Name, type, category and description are required. Any other property that is absent or null keeps its value
 * (platform contract WSP-3: update).
 */
const shapeOf = (before: Rest) => ({
  name: requiredText.transform((name) => name.trim()),
  workspaceTypeId: requiredCode,
  classificationId: requiredCode,
  description: z.string(required('must be a string')),
  settings: z
    .string({ error: ({ input }) => (asFields(input) ? NOT_TEXT : 'must be a string') })
    .nullish()
    .transform((value) => value || before.settings),
  notice: text.transform((value) => value ?? before.notice),
  quota: amount.transform((value) => value ?? before.quota),
  fileSize: amount.transform((value) => value ?? before.fileSize),
  fileTypes: list.transform((value) => value ?? before.fileTypes),
  enable: flag(before.enable),
  operationKeys: list.transform((value) => value ?? before.operationKeys),
});

/** Members of an update that are checked but not stored, because the sandbox computes their values. */
const checkedOnly = record({
  workspaceTypeName: requiredText,
  quotaUsage: z.number('must be a number').nullish(),
});
const amount = z.number('must be a number').positive('must be a positive number').nullish();
const list = whole(texts.nullish(), 'must be an array of strings');

type Wanted = z.output<z.ZodObject<ReturnType<typeof shapeOf>>>;

/**
 * Checks a workspace's name, type and category. Names must be unique, because requests about files find the workspace
 * by name (platform contract WSP-2: creation).
 */
function resolved({ workspaces, types }: WorkspaceDeps, wanted: Wanted, before?: Workspace) {
  const { workspaceTypeId: type, classificationId: category, ...rest } = wanted;
  if (rest.settings !== '') checkSettings(rest.settings);
  // A name must not equal another workspace's id either. `find` looks for names first, so it would no longer find that
  // other workspace by its id.
  const other = workspaces.find(rest.name);
  if (other !== undefined && other.id !== before?.id)
    throw declined(`${rest.name} is already in use by another workspace.`);
  types.need(type);
  const found = workspaces.categories().find(({ id }) => id === category);
  known(found, `category ${category}`);
  return { ...rest, type, category };
}

/**
 * Routes that show stored values which no operation of the platform returns (platform contract QNA-2: pairs; WSP-3:
 * update).
 */
const inspectionRoutes = (deps: WorkspaceDeps): readonly Route[] => [
  control('GET /__inspect/pairs', () => jsonReply(deps.pairs.list())),
  control('GET /__inspect/workspaces', () =>
    jsonReply(deps.workspaces.list().map((workspace) => inspected(workspace, deps))),
  ),
];

/**
 * Returns all properties of a workspace, under the platform's names (platform contract WSP-5: record). `quotaUsage` is
 * in MiB, like `quota`.
 */
function inspected({ type, category, ...rest }: Workspace, { types, documents }: WorkspaceDeps) {
  const { title, code } = types.withId(type) ?? { title: [], code: '' };
  return {
    ...rest,
    workspaceTypeId: type,
    workspaceTypeName: title[0]?.content ?? code,
    classificationId: category,
    quotaUsage: documents.sizeOf(rest.id) / 1024 ** 2,
    fileCount: documents.inWorkspace(rest.id).length,
  };
}
