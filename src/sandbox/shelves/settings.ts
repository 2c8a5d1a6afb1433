import { asFields } from '../http/fields.ts';
import { parseJson } from '../http/json.ts';
import { declined } from '../http/refusal.ts';

/** How the files of a workspace are cut (platform contract WSP-6 to WSP-9). */
export interface Cutting {
  /** Characters of a chunk, at most. */
  readonly maxLength: number;
  /** Characters that a chunk repeats of the one before it. */
  readonly overlap: number;
}

export interface Preparation {
  /** Undefined where the usual way of cutting is followed. */
  readonly cutting: Cutting | undefined;
  /** False: files are kept but not prepared for retrieval. */
  readonly enabled: boolean;
}

/** Platform contract WSP-7. */
const MAX_LENGTH = 1024;
const MODES: readonly unknown[] = ['default', 'refine', undefined, null];
const OCR_MODES: readonly unknown[] = ['read', 'layout', undefined, null];

/** Refuses settings that are no JSON object, or whose values are not documented (platform contract WSP-6, ENU-12, ENU-13). */
export function checkSettings(text: string): void {
  const settings = settingsOf(text);
  const setting = asFields(settings?.setting ?? {});
  if (settings === undefined || setting === undefined) {
    throw declined('The parameter settings must be a JSON object in a string.');
  }
  if (!MODES.includes(setting.mode)) throw declined('The setting mode must be default or refine.');
  if (!OCR_MODES.includes(setting.ocrMode)) throw declined('The setting ocrMode must be read or layout.');
  const { maxLength, overlap } = cuttingOf(setting);
  if (!Number.isInteger(maxLength) || maxLength < 1)
    throw declined('The setting maxLength must be a positive integer.');
  if (!Number.isInteger(overlap) || overlap < 0 || overlap >= maxLength)
    throw declined('The setting overlap must be an integer from 0 to below maxLength.');
}

/** What the settings of a workspace mean for its files. */
export function preparationOf(text: string): Preparation {
  const settings = text === '' ? undefined : settingsOf(text);
  if (settings === undefined || settings.useWorkspaceSetting === true)
    return { cutting: undefined, enabled: true };
  const setting = asFields(settings.setting) ?? {};
  return { cutting: cuttingOf(setting), enabled: setting.enable !== false };
}

function cuttingOf(setting: Readonly<Record<string, unknown>>): Cutting {
  const { maxLength, overlap } = setting;
  return { maxLength: Number(maxLength ?? MAX_LENGTH), overlap: Number(overlap ?? 0) };
}

function settingsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asFields(parseJson(text));
  } catch {
    return undefined;
  }
}
