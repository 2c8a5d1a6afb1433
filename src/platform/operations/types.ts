import { z } from 'zod';
import { BridgeError } from '../../errors.ts';
import { operationsOf } from '../operation.ts';
import { asFields, asList } from '../shapes.ts';
import { answersMany, answersNothing, answersOne } from '../wire/answers.ts';
import type { Deployment } from '../wire/deployment.ts';
import { anyText, flag, integerIds, number, raw, text } from '../wire/members.ts';
import type { WireParts } from '../wire/parts.ts';
import { idsInQuery, localized } from './shared.ts';

const BASE = '/v1/openapi/workspaceType';
const operation = operationsOf('types', 'open');

const record = {
  code: text('Its code'),
  title: localized('Its title in each language').min(1),
  icon: anyText('Its picture'),
  sort: number('Position in lists'),
  description: anyText('Description'),
};

/** Platform contract WST-1, INC-26. The platform returns no id; see `findTypeByCode`. */
export const createType = operation({
  id: 'createType',
  command: 'create',
  doc: 'Creates a type of knowledge workspaces.',
  method: 'POST',
  path: BASE,
  request: z.strictObject(record),
  ...answersNothing,
});

/** Platform contract WST-2. Sends the whole record. */
export const updateType = operation({
  id: 'updateType',
  command: 'update',
  doc: 'Replaces the record of a type of knowledge workspaces.',
  method: 'PUT',
  path: BASE,
  request: z.strictObject({ id: text('Its id'), ...record }),
  ...answersNothing,
});

/** Platform contract WST-3. */
export const deleteTypes = operation({
  id: 'deleteTypes',
  command: 'delete',
  doc: 'Permanently deletes types of knowledge workspaces.',
  method: 'DELETE',
  path: BASE,
  destroys: true,
  request: z.strictObject({ ids: integerIds('Ids of the types', { in: 'list' }) }),
  adapt: idsInQuery,
  ...answersNothing,
});

const typeRecord = z.object({
  id: text('Its id'),
  code: anyText('Its code').optional(),
  title: z
    .array(
      z.object({ languageCode: anyText('BCP 47 tag').optional(), content: anyText('The text').optional() }),
    )
    .describe('Its title in each language')
    .optional(),
  icon: anyText('Its picture').optional(),
  sort: number('Position in lists').optional(),
  description: anyText('Description').optional(),
  enable: flag('Whether it is enabled; no document shows it').optional(),
  raw: raw(),
});

/** Platform contract WST-4, INC-27. */
export const getType = operation({
  id: 'getType',
  command: 'get',
  doc: 'Reads a type of knowledge workspaces.',
  method: 'GET',
  path: BASE,
  request: z.strictObject({ id: text('Its id') }),
  ...answersOne(typeRecord),
});

/** Platform contract WST-5. The path has a capital E. */
export const enableTypes = operation({
  id: 'enableTypes',
  command: 'enable',
  doc: 'Enables or disables types of knowledge workspaces.',
  method: 'PUT',
  path: `${BASE}/Enable`,
  request: z.strictObject({
    ids: integerIds('Ids of the types'),
    enable: flag('Whether they are enabled').default(true),
  }),
  adapt: oneById,
  ...answersNothing,
});

/** Changes the request for a deployment that switches one type at a time: sends a single id. */
function oneById(parts: WireParts, { enableById }: Deployment): WireParts {
  if (!enableById) return parts;
  const { ids, ...rest } = asFields(parts.json) ?? {};
  const [id, ...others] = asList(ids) ?? [];
  if (others.length > 0) {
    throw new BridgeError(
      'platform-parameter',
      'enableTypes was not sent: ids: at most 1 element where platform.enableById is set.',
    );
  }
  return { ...parts, json: { id, ...rest } };
}

/** Platform contract WST-6. */
export const typeDropdown = operation({
  id: 'typeDropdown',
  command: 'list',
  doc: 'Lists the types of knowledge workspaces as labels and ids.',
  method: 'GET',
  path: `${BASE}/Dropdown`,
  request: z.strictObject({}),
  ...answersMany(z.object({ label: anyText('Its title').optional(), value: text('Its id') })),
});
