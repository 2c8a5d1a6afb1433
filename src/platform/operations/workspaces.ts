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

/** Returns the faults in the settings that the caller gave. Unknown settings are allowed. */
export function faultsOfSettings(value: unknown): readonly string[] {
  const checked = schema.safeParse(value);
  if (checked.success) return [];
  return checked.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

/** Returns warnings about settings that are probably a mistake (platform contract WSP-8). */
function adviceOnSettings(settings: WorkspaceSettings | undefined): readonly string[] {
  const { ocrMode, documentOCR } = settings?.setting ?? {};
  return ocrMode !== undefined && documentOCR !== true
    ? ['settings.setting.ocrMode applies only if documentOCR is true']
    : [];
}

const BASE = '/v1/openapi/workspace';
const operation = operationsOf('workspaces', 'open');

/**
 * The settings are checked but sent unchanged, so that unknown settings and the order of the settings are kept
 * (platform contract WSP-6).
 */
const settings = wired(
  z
    .custom<WorkspaceSettings>(isFields, 'must be an object')
    .superRefine((value, context) => {
      for (const message of faultsOfSettings(value)) context.addIssue({ code: 'custom', message });
    })
    .describe('How files are read and cut into chunks'),
  { as: 'json' },
);

const workspace = z.object({
  id: text('Id of the workspace'),
  name: anyText('Name of the workspace'),
  description: anyText('Description of the workspace').optional(),
  operationKeys: z.array(z.string()).describe('What the caller may do in the workspace').optional(),
  fileCount: number('Number of files in the workspace').optional(),
  notice: anyText('Notice of the workspace; the client passes this value on unchanged').optional(),
  workspaceTypeId: text('Id of the type of the workspace').optional(),
  workspaceTypeName: anyText('Name of the type of the workspace').optional(),
  classificationId: text('Id of the category of the workspace').optional(),
  quota: number('Quota of the workspace').optional(),
  quotaUsage: number('Part of the quota that is used').optional(),
  fileSize: number('Maximum size of a file').optional(),
  fileTypes: z.array(z.string()).describe('Types of files that the workspace accepts').optional(),
  enable: flag('Whether the workspace is enabled').optional(),
  settings: anyText('How files are read and cut into chunks, as JSON').optional(),
  metadataTemplate: anyText('Metadata entries of the files in the workspace, as JSON').optional(),
  raw: raw(),
});

const category = z.object({
  id: text('Id of the category'),
  name: anyText('Name of the category').optional(),
  icon: anyText('Picture of the category').optional(),
  workspaces: z.array(workspace).describe('Knowledge workspaces of the category').default([]),
});
export type Category = z.output<typeof category>;

/** Lists the categories with their knowledge workspaces (platform contract WSP-1). */
export const listWorkspaces = operation({
  id: 'listWorkspaces',
  command: 'list',
  doc: 'Lists the categories, each with its knowledge workspaces.',
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
    name: text('Name of the workspace; requests for files use this name'),
    workspaceTypeId: text('Id of the type of the workspace'),
    classificationId: text('Id of the category of the workspace'),
    description: anyText('Description of the workspace').default(''),
    quota: number('Quota of the workspace').optional(),
    fileSize: number('Maximum size of a file').optional(),
    fileTypes: texts('Types of files that the workspace accepts').optional(),
    enable: flag('Whether the workspace is enabled').default(true),
    operationKeys: texts('What people may do in the workspace').optional(),
    notice: anyText('Notice of the workspace; the client passes this value on unchanged').optional(),
    settings: settings.optional(),
  }),
  advise: (request) => adviceOnSettings(request.settings),
  ...answersId('Id of the new workspace', 'workspaceId'),
});

const OMITTABLE = ['enable', 'notice', 'settings', 'metadataTemplate'] as const;

/**
 * Updates a knowledge workspace (platform contract WSP-3). The platform's documentation does not say what happens to an
 * omitted field, and no operation reads a whole workspace. Therefore, the caller must either give each field in
 * `OMITTABLE` or list it in `omit`.
 */
export const updateWorkspace = operation({
  id: 'updateWorkspace',
  command: 'update',
  doc: 'Changes a knowledge workspace.',
  method: 'POST',
  path: `${BASE}/update`,
  request: z
    .strictObject({
      id: text('Id of the workspace'),
      workspaceTypeId: text('Id of the type of the workspace'),
      workspaceTypeName: text('Name of the type of the workspace'),
      name: text('Name of the workspace'),
      description: anyText('Description of the workspace'),
      classificationId: text('Id of the category of the workspace'),
      enable: flag('Whether the workspace is enabled').optional(),
      notice: anyText('Notice of the workspace; the client passes this value on unchanged').optional(),
      quota: number('Quota of the workspace; null leaves the quota unchanged').nullable().default(null),
      quotaUsage: number('Part of the quota that is used').optional(),
      settings: settings.optional(),
      metadataTemplate: wired(metadataTemplate, { as: 'json' }).optional(),
      omit: z
        .array(z.enum(OMITTABLE))
        .describe(
          "Names of the fields that you leave out on purpose. The platform's documentation does not say how the platform treats an absent field",
        )
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
  doc: 'Permanently deletes knowledge workspaces and their files.',
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
  doc: 'Stores a question-answer pair in a knowledge workspace.',
  method: 'POST',
  path: '/v1/openapi/workspace/qna/create',
  request: z.strictObject({
    workspace: text('Name of the knowledge workspace'),
    questions: texts('The question, in one or more wordings'),
    answer: text('The answer'),
    metadatas: z
      .array(
        z.strictObject({
          typeCode: text('Code of the metadata entry'),
          content: text('Value of the metadata entry'),
        }),
      )
      .describe('Metadata of the pair')
      .optional(),
  }),
  ...answersNothing,
});
