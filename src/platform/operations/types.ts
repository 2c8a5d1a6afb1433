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

/**
 * Creates a type of workspaces (platform contract WST-1). The platform returns no id (INC-26); `findTypeByCode` looks
 * it up.
 */
export const createType = operation({
  id: 'createType',
  command: 'create',
  doc: 'Creates a type of knowledge workspaces.',
  method: 'POST',
  path: BASE,
  request: z.strictObject(record),
  ...answersNothing,
});

/** Replaces the whole record of a type (platform contract WST-2). */
export const updateType = operation({
  id: 'updateType',
  command: 'update',
  doc: 'Replaces the record of a type of knowledge workspaces.',
  method: 'PUT',
  path: BASE,
  request: z.strictObject({ id: text('Its id'), ...record }),
  ...answersNothing,
});

/** Deletes types by their ids (platform contract WST-3). */
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

/**
 * Reads one type by its id (platform contract WST-4). `enable` is absent if the record does not contain it (INC-27).
 */
export const getType = operation({
  id: 'getType',
  command: 'get',
  doc: 'Reads a type of knowledge workspaces.',
  method: 'GET',
  path: BASE,
  request: z.strictObject({ id: text('Its id') }),
  ...answersOne(typeRecord),
});

/** Enables or disables types (platform contract WST-5). The path has a capital E. */
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

/** Sends a single `id` to deployments that enable or disable only one type per request. */
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

/** Lists the types as labels and ids (platform contract WST-6). */
export const typeDropdown = operation({
  id: 'typeDropdown',
  command: 'list',
  doc: 'Lists the types of knowledge workspaces as labels and ids.',
  method: 'GET',
  path: `${BASE}/Dropdown`,
  request: z.strictObject({}),
  ...answersMany(z.object({ label: anyText('Its title').optional(), value: text('Its id') })),
});
