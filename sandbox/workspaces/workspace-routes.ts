import { mayUse } from '../fixtures.ts';
import type { Call } from '../http/call.ts';
import { codeMember } from '../http/codes.ts';
import { asFields, type Fields } from '../http/fields.ts';
import { flagMember, member, objectBody, requiredMember, textMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { inTransaction } from '../store/database.ts';
import type { WorkspaceDeps } from './deps.ts';
import { idsOf } from './ids-of.ts';
import { checkMetadata } from './metadata.ts';
import { checkSettings } from './settings.ts';
import { plainWorkspace, type Workspace } from './workspaces.ts';

const BASE = '/v1/openapi/workspace';
const WRITE = 'to write knowledge workspaces';

/** Knowledge workspaces (platform contract WSP-1 to WSP-10). */
export function workspaceRoutes(parts: WorkspaceDeps): readonly Route[] {
  return [
    {
      id: 'listWorkspaces',
      method: 'GET',
      path: `${BASE}/all`,
      face: 'open',
      handle: async (call) => list(parts, call),
    },
    {
      id: 'createWorkspace',
      method: 'POST',
      path: `${BASE}/create`,
      face: 'open',
      handle: (call) => create(parts, call),
    },
    {
      id: 'updateWorkspace',
      method: 'POST',
      path: `${BASE}/update`,
      face: 'open',
      handle: (call) => update(parts, call),
    },
    {
      id: 'deleteWorkspaces',
      method: 'DELETE',
      path: `${BASE}/delete`,
      face: 'open',
      handle: (call) => remove(parts, call),
    },
  ];
}

/** Categories with the workspaces that the caller may use; their ids are integers (platform contract WSP-1). */
function list({ gatekeeper, workspaces, documents }: WorkspaceDeps, call: Call): Reply {
  const account = gatekeeper.openAccount(call);
  const usable = workspaces.list().filter(({ id, enable }) => enable && mayUse(account, id));
  const all = documents.list();
  return openReply(
    workspaces.categories().map(({ id, name, icon }) => ({
      id: BigInt(id),
      name,
      icon,
      workspaces: usable
        .filter(({ category }) => category === id)
        .map((workspace) => ({
          id: workspace.id,
          name: workspace.name,
          description: workspace.description,
          operationKeys: workspace.operationKeys,
          fileCount: all.filter((document) => document.workspace === workspace.id).length,
        })),
    })),
  );
}

async function create(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAdministrator(call, WRITE);
  const fields = await objectBody(call);
  const named = readNamed(parts, fields);
  const { id } = parts.workspaces.add({ ...plainWorkspace, ...named, ...readRest(fields, plainWorkspace) });
  return openReply(id);
}

async function update(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAdministrator(call, WRITE);
  const fields = await objectBody(call);
  const workspace = withId(parts, requiredCode(fields, 'id'));
  requiredMember(fields, 'workspaceTypeName');
  const named = readNamed(parts, fields, workspace);
  const { text: template, warnings } = checkMetadata(
    textMember(fields, 'metadataTemplate') ?? workspace.metadataTemplate,
  );
  for (const warning of warnings) parts.warn(`workspace ${workspace.id}: ${warning}`);
  parts.workspaces.save({
    ...workspace,
    ...named,
    ...readRest(fields, workspace),
    metadataTemplate: template,
  });
  return openReply(null);
}

async function remove(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAdministrator(call, WRITE);
  const found = (await idsOf(call)).map((id) => withId(parts, id));
  const { documents, pairs, workspaces } = parts;
  for (const { id: workspace } of found) {
    for (const { id } of documents.inWorkspace(workspace)) documents.remove(id);
  }
  inTransaction(parts.database, () => {
    for (const { id } of found) {
      pairs.removeFrom(id);
      workspaces.remove(id);
    }
  });
  return openReply(null);
}

function withId({ workspaces }: WorkspaceDeps, id: string): Workspace {
  const workspace = workspaces.withId(id);
  if (workspace === undefined) throw declined(`The workspace ${id} is unknown.`);
  return workspace;
}

function requiredCode(fields: Fields, name: string): string {
  const code = codeMember(fields, name);
  if (code === undefined) throw declined(`The parameter ${name} is missing.`);
  return code;
}

/** What names a workspace and puts it in its place. Names are unique, because files are found by them (WSP-2). */
function readNamed(
  { workspaces, types }: WorkspaceDeps,
  fields: Fields,
  known?: Workspace,
): Pick<Workspace, 'name' | 'description' | 'type' | 'category'> {
  const name = requiredMember(fields, 'name').trim();
  // A name that is another's id would answer for that one.
  const other = workspaces.find(name);
  if (other !== undefined && other.id !== known?.id) {
    throw declined(`There is already a workspace ${name}.`);
  }
  const type = requiredCode(fields, 'workspaceTypeId');
  if (types.withId(type) === undefined) throw declined(`The workspace type ${type} is unknown.`);
  const category = requiredCode(fields, 'classificationId');
  if (!workspaces.categories().some(({ id }) => id === category)) {
    throw declined(`The category ${category} is unknown.`);
  }
  if ((member(fields, 'description') ?? undefined) === undefined)
    throw declined('The parameter description is missing.');
  return { name, description: textMember(fields, 'description') ?? '', type, category };
}

type Rest = Pick<
  Workspace,
  'notice' | 'quota' | 'fileSize' | 'fileTypes' | 'enable' | 'operationKeys' | 'settings'
>;

/** Members that keep what was before where they are absent; null keeps the quota too (platform contract WSP-3). */
function readRest(fields: Fields, before: Rest): Rest {
  const settings = settingsText(fields) ?? before.settings;
  if (settings !== '') checkSettings(settings);
  return {
    notice: textMember(fields, 'notice') ?? before.notice,
    quota: amount(fields, 'quota') ?? before.quota,
    fileSize: amount(fields, 'fileSize') ?? before.fileSize,
    fileTypes: textsMember(fields, 'fileTypes') ?? before.fileTypes,
    enable: flagMember(fields, 'enable', before.enable),
    operationKeys: textsMember(fields, 'operationKeys') ?? before.operationKeys,
    settings,
  };
}

function settingsText(fields: Fields): string | undefined {
  const value = member(fields, 'settings');
  if (asFields(value) !== undefined)
    throw declined('The parameter settings must be a JSON object in a string.');
  return textMember(fields, 'settings');
}

function amount(fields: Fields, name: string): number | undefined {
  const value = member(fields, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw declined(`The parameter ${name} must be a positive number.`);
  }
  return value;
}

function textsMember(fields: Fields, name: string): readonly string[] | undefined {
  const value = member(fields, name);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw declined(`The parameter ${name} must be an array of strings.`);
  }
  return value;
}
