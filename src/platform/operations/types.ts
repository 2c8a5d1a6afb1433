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
  code: text('Code of the type'),
  title: localized('Title of the type in each language').min(1),
  icon: anyText('Picture of the type'),
  sort: number('Position of the type in lists'),
  description: anyText('Description of the type'),
};

/**
 * Creates a type of workspaces (platform contract WST-1). The platform returns no id (INC-26); `findTypeByCode` looks
 * it up.
 */
export const createType = operation({
  id: 'createType',
  command: 'create',
  doc: 'Creates a type for knowledge workspaces.',
  method: 'POST',
  path: BASE,
  request: z.strictObject(record),
  ...answersNothing,
});

/** Replaces the whole record of a type (platform contract WST-2). */
export const updateType = operation({
  id: 'updateType',
  command: 'update',
  doc: 'Replaces the whole record of a knowledge workspace type.',
  method: 'PUT',
  path: BASE,
  request: z.strictObject({ id: text('Id of the type'), ...record }),
  ...answersNothing,
});

/** Deletes types by their ids (platform contract WST-3). */
export const deleteTypes = operation({
  id: 'deleteTypes',
  command: 'delete',
  doc: 'Permanently deletes knowledge workspace types.',
  method: 'DELETE',
  path: BASE,
  destroys: true,
  request: z.strictObject({ ids: integerIds('Ids of the types', { in: 'list' }) }),
  adapt: idsInQuery,
  ...answersNothing,
});

const typeRecord = z.object({
  id: text('Id of the type'),
  code: anyText('Code of the type').optional(),
  title: z
    .array(
      z.object({
        languageCode: anyText('BCP 47 tag, such as en-US').optional(),
        content: anyText('The text in the language of languageCode').optional(),
      }),
    )
    .describe('Title of the type in each language')
    .optional(),
  icon: anyText('Picture of the type').optional(),
  sort: number('Position of the type in lists').optional(),
  description: anyText('Description of the type').optional(),
  enable: flag(
    "Whether the type is enabled; the platform's documentation does not mention this field",
  ).optional(),
  raw: raw(),
});

/**
 * Reads one type by its id (platform contract WST-4). `enable` is absent if the record does not contain it (INC-27).
 */
export const getType = operation({
  id: 'getType',
  command: 'get',
  doc: 'Reads a knowledge workspace type.',
  method: 'GET',
  path: BASE,
  request: z.strictObject({ id: text('Id of the type') }),
  ...answersOne(typeRecord),
});

/** Enables or disables types (platform contract WST-5). The path has a capital E. */
export const enableTypes = operation({
  id: 'enableTypes',
  command: 'enable',
  doc: 'Enables or disables knowledge workspace types.',
  method: 'PUT',
  path: `${BASE}/Enable`,
  request: z.strictObject({
    ids: integerIds('Ids of the types'),
    enable: flag('true enables the types, false disables them').default(true),
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
      'enableTypes was not sent: give one id in "ids", because platform.enableById is set.',
    );
  }
  return { ...parts, json: { id, ...rest } };
}

/** Lists the types as labels and ids (platform contract WST-6). */
export const typeDropdown = operation({
  id: 'typeDropdown',
  command: 'list',
  doc: 'Lists the title and the id of each knowledge workspace type.',
  method: 'GET',
  path: `${BASE}/Dropdown`,
  request: z.strictObject({}),
  ...answersMany(z.object({ label: anyText('Title of the type').optional(), value: text('Id of the type') })),
});
