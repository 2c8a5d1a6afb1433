import { z } from 'zod';
import { parseJson } from '../json.ts';
import { isFields } from '../shapes.ts';

/** How a knowledge workspace cuts and reads its files; a JSON string on the wire (platform contract WSP-6 to WSP-9). */
const setting = z.looseObject({
  mode: z.enum(['default', 'refine']).optional(),
  /** Characters of a chunk, 1024 unless set. */
  maxLength: z.number().int().min(1).optional(),
  /** Characters that neighbouring chunks share; 0 for none. */
  overlap: z.number().int().min(0).optional(),
  previewEnable: z.boolean().optional(),
  /** Whether files are prepared for retrieval at all. */
  enable: z.boolean().optional(),
  documentOCR: z.boolean().optional(),
  /** `read` takes the text only, `layout` keeps its arrangement; counts with `documentOCR`. */
  ocrMode: z.enum(['read', 'layout']).optional(),
  summaryEnable: z.boolean().optional(),
  imageRecognize: z.boolean().optional(),
  summaryPrompt: z.string().optional(),
  formulas: z.boolean().optional(),
  screenshots_by_page: z.boolean().optional(),
});

const schema = z.looseObject({
  /** True follows the workspace and ignores `setting`. */
  useWorkspaceSetting: z.boolean().optional(),
  setting: setting.optional(),
  identifier: z.string().optional(),
});

export type WorkspaceSettings = z.infer<typeof schema>;

/** What is wrong with settings as they were given; unknown members are nobody's fault. */
export function faultsOfSettings(value: unknown): readonly string[] {
  const checked = schema.safeParse(value);
  if (checked.success) return [];
  return checked.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

/** What settings are unlikely to mean (platform contract WSP-8). */
export function adviceOnSettings(settings: WorkspaceSettings | undefined): readonly string[] {
  const { ocrMode, documentOCR } = settings?.setting ?? {};
  return ocrMode !== undefined && documentOCR !== true
    ? ['settings.setting.ocrMode counts only where documentOCR is true']
    : [];
}

/**
 * Settings as an object; what the platform sent is kept whole, unknown members and their order too. Throws
 * `SyntaxError` where the text is no JSON object.
 */
export function parseSettings(text: string): WorkspaceSettings {
  const value = parseJson(text);
  if (!isFields(value)) throw new SyntaxError('The settings of a workspace are a JSON object.');
  return value;
}

export function formatSettings(settings: WorkspaceSettings): string {
  return JSON.stringify(settings);
}

/** The identifier, which is found at either level. */
export function identifierOf(settings: WorkspaceSettings): string | undefined {
  const inner = settings.setting?.identifier;
  return settings.identifier ?? (typeof inner === 'string' ? inner : undefined);
}
