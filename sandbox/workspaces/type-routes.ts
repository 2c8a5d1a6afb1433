import type { Call } from '../http/call.ts';
import { codeMember, codesMember } from '../http/codes.ts';
import { asFields, type Fields } from '../http/fields.ts';
import { member, objectBody, requiredMember, textMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { inTransaction } from '../store/database.ts';
import type { WorkspaceDeps } from './deps.ts';
import { idsOf } from './ids-of.ts';
import type { Localized, WorkspaceType } from './types.ts';

const BASE = '/v1/openapi/workspaceType';
const WRITE = 'to write workspace types';

/** Types of knowledge workspaces (platform contract WST-1 to WST-6). */
export function typeRoutes(parts: WorkspaceDeps): readonly Route[] {
  return [
    { id: 'createType', method: 'POST', path: BASE, face: 'open', handle: (call) => create(parts, call) },
    { id: 'updateType', method: 'PUT', path: BASE, face: 'open', handle: (call) => update(parts, call) },
    { id: 'deleteTypes', method: 'DELETE', path: BASE, face: 'open', handle: (call) => remove(parts, call) },
    { id: 'getType', method: 'GET', path: BASE, face: 'open', handle: async (call) => get(parts, call) },
    {
      id: 'enableTypes',
      method: 'PUT',
      path: `${BASE}/Enable`,
      face: 'open',
      handle: (call) => enable(parts, call),
    },
    {
      id: 'typeDropdown',
      method: 'GET',
      path: `${BASE}/Dropdown`,
      face: 'open',
      handle: async (call) => {
        parts.gatekeeper.openAccount(call);
        const shown = parts.types.list().filter((type) => type.enable);
        return openReply(
          shown.map(({ id, title, code }) => ({ label: title[0]?.content ?? code, value: id })),
        );
      },
    },
  ];
}

async function create(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAdministrator(call, WRITE);
  parts.types.add(readRecord(parts, await objectBody(call)));
  return openReply(null);
}

async function update(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAdministrator(call, WRITE);
  const fields = await objectBody(call);
  const known = withId(parts, codeMember(fields, 'id') ?? '');
  parts.types.save({ ...known, ...readRecord(parts, fields, known) });
  return openReply(null);
}

async function remove(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAdministrator(call, WRITE);
  const found = (await idsOf(call)).map((id) => withId(parts, id));
  const used = found.find(({ id }) => parts.workspaces.list().some(({ type }) => type === id));
  if (used !== undefined) throw declined(`The type ${used.code} is in use by a workspace.`);
  inTransaction(parts.database, () => {
    for (const { id } of found) parts.types.remove(id);
  });
  return openReply(null);
}

function get(parts: WorkspaceDeps, call: Call): Reply {
  parts.gatekeeper.openAccount(call);
  const { id, code, title, icon, sort, description } = withId(parts, call.query.get('id') ?? '');
  return openReply({ id, code, title, icon, sort, description });
}

/** Accepts `ids`, or a single `id` (platform contract WST-5). */
async function enable(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  parts.gatekeeper.openAdministrator(call, WRITE);
  const fields = await objectBody(call);
  const single = codeMember(fields, 'id');
  const ids = single === undefined ? codesMember(fields, 'ids') : [single];
  const wanted = member(fields, 'enable');
  if (typeof wanted !== 'boolean') throw declined('The parameter enable must be true or false.');
  const found = ids.map((id) => withId(parts, id));
  inTransaction(parts.database, () => {
    for (const type of found) parts.types.save({ ...type, enable: wanted });
  });
  return openReply(null);
}

function withId({ types }: WorkspaceDeps, id: string): WorkspaceType {
  if (id === '') throw declined('The parameter id is missing.');
  const type = types.withId(id);
  if (type === undefined) throw declined(`The workspace type ${id} is unknown.`);
  return type;
}

/** All members are required (platform contract WST-1, WST-2). */
function readRecord(
  { types }: WorkspaceDeps,
  fields: Fields,
  known?: WorkspaceType,
): Omit<WorkspaceType, 'id' | 'enable'> {
  const code = requiredMember(fields, 'code');
  const other = types.list().find((type) => type.code === code);
  if (other !== undefined && other.id !== known?.id) throw declined(`There is already a type ${code}.`);
  for (const name of ['icon', 'description']) {
    if (typeof member(fields, name) !== 'string') throw declined(`The parameter ${name} is missing.`);
  }
  const sort = member(fields, 'sort');
  if (typeof sort !== 'number' || !Number.isFinite(sort))
    throw declined('The parameter sort must be a number.');
  return {
    code,
    title: readTitle(member(fields, 'title')),
    icon: textMember(fields, 'icon') ?? '',
    sort,
    description: textMember(fields, 'description') ?? '',
  };
}

function readTitle(value: unknown): readonly Localized[] {
  const items = Array.isArray(value) ? value.map(asFields) : [];
  const title = items.flatMap((item) => {
    const { languageCode, content } = item ?? {};
    return typeof languageCode === 'string' && typeof content === 'string' ? [{ languageCode, content }] : [];
  });
  if (items.length === 0 || title.length !== items.length) {
    throw declined('The parameter title must be an array of objects with languageCode and content.');
  }
  return title;
}
