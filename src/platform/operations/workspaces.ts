import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { isFields } from '../shapes.ts';
import { answersId, answersMany, answersNothing } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import { anyText, flag, integerIds, number, raw, text, texts } from '../wire/members.ts';
import { idsInQuery, metadataTemplate } from './shared.ts';

/**
 * How the files of a knowledge workspace are split and read. Sent as JSON inside a string (platform contract WSP-6 to
 * WSP-9).
 */
const setting = z.looseObject({
  mode: z.enum(['default', 'refine']).optional(),
  /** Maximum length of a chunk in characters; 1024 by default. */
  maxLength: z.number().int().min(1).optional(),
  /** Number of characters that two neighbouring chunks share; 0 for none. */
  overlap: z.number().int().min(0).optional(),
  previewEnable: z.boolean().optional(),
  /** True if files are indexed, so that agents can find them. */
  enable: z.boolean().optional(),
  documentOCR: z.boolean().optional(),
  /** `read` extracts only the text; `layout` also keeps its arrangement. Requires `documentOCR`. */
  ocrMode: z.enum(['read', 'layout']).optional(),
  summaryEnable: z.boolean().optional(),
  imageRecognize: z.boolean().optional(),
  summaryPrompt: z.string().optional(),
  formulas: z.boolean().optional(),
  screenshots_by_page: z.boolean().optional(),
});

const schema = z.looseObject({
  /** If true, the workspace's settings apply and `setting` is ignored. */
  useWorkspaceSetting: z.boolean().optional(),
  setting: setting.optional(),
  identifier: z.string().optional(),
});

type WorkspaceSettings = z.infer<typeof schema>;

/** Returns the faults in the settings that the caller gave. Unknown members are allowed. */
export function faultsOfSettings(value: unknown): readonly string[] {
  const checked = schema.safeParse(value);
  if (checked.success) return [];
  return checked.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

/** Returns warnings about settings that are probably a mistake (platform contract WSP-8). */
function adviceOnSettings(settings: WorkspaceSettings | undefined): readonly string[] {
  const { ocrMode, documentOCR } = settings?.setting ?? {};
  return ocrMode !== undefined && documentOCR !== true
    ? ['settings.setting.ocrMode counts only where documentOCR is true']
    : [];
}

const BASE = '/v1/openapi/workspace';
const operation = operationsOf('workspaces', 'open');

/**
 * The settings are checked but sent unchanged, so that unknown members and the order of members are kept (platform
 * contract WSP-6).
 */
const settings = wired(
  z
    .custom<WorkspaceSettings>(isFields, 'must be an object')
    .superRefine((value, context) => {
      for (const message of faultsOfSettings(value)) context.addIssue({ code: 'custom', message });
    })
    .describe('How files are cut and read'),
  { as: 'json' },
);

const workspace = z.object({
  id: text('Its id'),
  name: anyText('Its name'),
  description: anyText('Description').optional(),
  operationKeys: z.array(z.string()).describe('Permissions of the caller').optional(),
  fileCount: number('Number of files in it').optional(),
  notice: anyText('Notice').optional(),
  workspaceTypeId: text('Its type').optional(),
  workspaceTypeName: anyText('Name of the type').optional(),
  classificationId: text('Its category').optional(),
  quota: number('Its quota').optional(),
  quotaUsage: number('Used part of the quota').optional(),
  fileSize: number('Largest file').optional(),
  fileTypes: z.array(z.string()).describe('Types of files that it takes').optional(),
  enable: flag('Whether it is enabled').optional(),
  settings: anyText('How files are cut and read, JSON').optional(),
  metadataTemplate: anyText('Entries of metadata, JSON').optional(),
  raw: raw(),
});

const category = z.object({
  id: text('Its id'),
  name: anyText('Its name').optional(),
  icon: anyText('Its picture').optional(),
  workspaces: z.array(workspace).describe('Its knowledge workspaces').default([]),
});
export type Category = z.output<typeof category>;

/** Lists the categories with their knowledge workspaces (platform contract WSP-1). */
export const listWorkspaces = operation({
  id: 'listWorkspaces',
  command: 'list',
  doc: 'Lists the categories with their knowledge workspaces.',
  method: 'GET',
  path: `${BASE}/all`,
  request: z.strictObject({}),
  ...answersMany(category),
});

/** Creates a knowledge workspace (platform contract WSP-2). */
export const createWorkspace = operation({
  id: 'createWorkspace',
  command: 'create',
  doc: 'Creates a knowledge workspace and returns its id.',
  method: 'POST',
  path: `${BASE}/create`,
  request: z.strictObject({
    name: text('Its name; files are found by it'),
    workspaceTypeId: text('Its type'),
    classificationId: text('Its category'),
    description: anyText('Description').default(''),
    quota: number('Its quota').optional(),
    fileSize: number('Largest file').optional(),
    fileTypes: texts('Types of files that it takes').optional(),
    enable: flag('Whether it is enabled').default(true),
    operationKeys: texts('What people may do').optional(),
    notice: anyText('Notice').optional(),
    settings: settings.optional(),
  }),
  advise: (request) => adviceOnSettings(request.settings),
  ...answersId('Id of the new workspace', 'workspaceId'),
});

const OMITTABLE = ['enable', 'notice', 'settings', 'metadataTemplate'] as const;

/**
 * Updates a knowledge workspace (platform contract WSP-3). The documents do not say what happens to an omitted
 * member, and no operation reads a whole workspace. Therefore, the caller must either give each member of `OMITTABLE`
 * or list it in `omit`.
 */
export const updateWorkspace = operation({
  id: 'updateWorkspace',
  command: 'update',
  doc: 'Changes a knowledge workspace.',
  method: 'POST',
  path: `${BASE}/update`,
  request: z
    .strictObject({
      id: text('Its id'),
      workspaceTypeId: text('Its type'),
      workspaceTypeName: text('Name of the type'),
      name: text('Its name'),
      description: anyText('Description'),
      classificationId: text('Its category'),
      enable: flag('Whether it is enabled').optional(),
      notice: anyText('Notice').optional(),
      quota: number('Its quota; null keeps it').nullable().default(null),
      quotaUsage: number('Used part of the quota').optional(),
      settings: settings.optional(),
      metadataTemplate: wired(metadataTemplate, { as: 'json' }).optional(),
      omit: z
        .array(z.enum(OMITTABLE))
        .describe('Members that are left out on purpose; what the platform does then is not documented')
        .default([]),
    })
    .superRefine((request, context) => {
      for (const name of OMITTABLE) {
        if (request[name] !== undefined || request.omit.includes(name)) continue;
        const message = 'is missing; give it, or name it in "omit"';
        context.addIssue({ code: 'custom', path: [name], message });
      }
    }),
  advise: (request) => adviceOnSettings(request.settings),
  adapt: (parts) => ({ ...parts, json: withoutOmit(parts.json) }),
  ...answersNothing,
});

function withoutOmit(json: unknown): unknown {
  if (!isFields(json)) return json;
  const { omit: _said, ...rest } = json;
  return rest;
}

/** Deletes knowledge workspaces by their ids (platform contract WSP-4). */
export const deleteWorkspaces = operation({
  id: 'deleteWorkspaces',
  command: 'delete',
  doc: 'Permanently deletes knowledge workspaces with their files.',
  method: 'DELETE',
  path: `${BASE}/delete`,
  destroys: true,
  request: z.strictObject({ ids: integerIds('Ids of the workspaces', { in: 'list' }) }),
  adapt: idsInQuery,
  ...answersNothing,
});

/** Stores a question with its answer in a knowledge workspace (platform contract QNA-1, QNA-2). */
export const createQna = operation({
  id: 'createQna',
  capability: 'qna',
  command: 'create',
  doc: 'Stores a question and its answer in a knowledge workspace.',
  method: 'POST',
  path: '/v1/openapi/workspace/qna/create',
  request: z.strictObject({
    workspace: text('Name of the knowledge workspace'),
    questions: texts('The question, in one or more wordings'),
    answer: text('The answer'),
    metadatas: z
      .array(z.strictObject({ typeCode: text('Which metadata'), content: text('Its value') }))
      .describe('Metadata of the pair')
      .optional(),
  }),
  ...answersNothing,
});
