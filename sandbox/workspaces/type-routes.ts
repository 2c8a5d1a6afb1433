import { z } from 'zod';
import { asFields } from '../http/json.ts';
import { noBody, operations, type Route } from '../http/operation.ts';
import { declined, openReply } from '../http/reply.ts';
import {
  digits,
  localized,
  member,
  record,
  requiredCode,
  requiredFlag,
  requiredText,
  whole,
} from '../http/schema.ts';
import { inTransaction } from '../store/database.ts';
import { idsOf, type WorkspaceDeps } from './deps.ts';

const BASE = '/v1/openapi/workspaceType';

/** Properties of a workspace type, all required (platform contract WST-1, WST-2). */
const members = {
  code: requiredText,
  title: localized.refine(({ length }) => length > 0, 'must have at least one element'),
  icon: z.string('is missing'),
  sort: z.number('must be a number'),
  description: z.string('is missing'),
};

/** Routes of the types of knowledge workspaces (platform contract WST-1 to WST-6: types). */
export function typeRoutes(deps: WorkspaceDeps): readonly Route[] {
  const { gatekeeper, types, workspaces } = deps;
  const read = operations('open', gatekeeper.openAccount);
  const write = operations('open', gatekeeper.administrator('to write workspace types'));
  return [
    write('createType', `POST ${BASE}`, record(members), ({ body }) => {
      types.refuseTaken(body.code);
      types.add({ ...body, enable: true });
    }),
    write(
      'updateType',
      `PUT ${BASE}`,
      record({ id: requiredCode, ...members }),
      ({ body: { id, ...wanted } }) => {
        const before = types.need(id);
        types.refuseTaken(wanted.code, id);
        types.save({ ...before, ...wanted });
      },
    ),
    write('deleteTypes', `DELETE ${BASE}`, noBody, async ({ call }) => {
      const found = (await idsOf(call)).map((id) => types.need(id));
      const used = found.find(({ id }) => workspaces.list().some(({ type }) => type === id));
      if (used !== undefined) throw declined(`The type ${used.code} is in use by a workspace.`);
      inTransaction(deps.database, () => {
        for (const { id } of found) types.remove(id);
      });
    }),
    read('getType', `GET ${BASE}`, noBody, ({ call }) => {
      const id = call.query.get('id') ?? '';
      if (id === '') throw declined('The parameter "id" is missing.');
      const { enable: _, ...shown } = types.need(id);
      return openReply(shown);
    }),
    write('enableTypes', `PUT ${BASE}/Enable`, switched, ({ body }) => {
      const found = body.ids.map((id) => types.need(id));
      inTransaction(deps.database, () => {
        for (const type of found) types.save({ ...type, enable: body.enable });
      });
    }),
    read('typeDropdown', `GET ${BASE}/Dropdown`, noBody, () => {
      const enabled = types.list().filter((type) => type.enable);
      return openReply(
        enabled.map(({ id, title, code }) => ({ label: title[0]?.content ?? code, value: id })),
      );
    }),
  ];
}

/** Accepts several `ids` or one `id` (platform contract WST-5: enabling types). */
const switched = z.preprocess(
  (body) => {
    const id = member(asFields(body) ?? {}, 'id') ?? '';
    return id === '' ? body : { ...asFields(body), ids: [id] };
  },
  record({ ids: whole(z.array(digits).min(1), 'must be an array of at least one id'), enable: requiredFlag }),
);
