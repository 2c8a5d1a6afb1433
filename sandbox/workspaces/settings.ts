import { asFields } from '../http/fields.ts';
import { parseJson } from '../http/json.ts';
import { declined } from '../http/refusal.ts';
import { MAX_LENGTH, type Preparation, plainPreparation } from '../knowledge/prepare.ts';

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
  checkSwitch('useWorkspaceSetting', settings.useWorkspaceSetting);
  checkSwitch('enable', setting.enable);
  const maxLength = setting.maxLength ?? MAX_LENGTH;
  const overlap = setting.overlap ?? 0;
  if (!isInteger(maxLength, 1, Number.MAX_SAFE_INTEGER))
    throw declined('The setting maxLength must be a positive integer.');
  // More would make so many chunks that a small file fills the disk.
  if (!isInteger(overlap, 0, maxLength / 2))
    throw declined('The setting overlap must be an integer from 0 to half of maxLength.');
}

function checkSwitch(name: string, value: unknown): void {
  if (value !== undefined && value !== null && typeof value !== 'boolean') {
    throw declined(`The setting ${name} must be true or false.`);
  }
}

const isInteger = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

/** What the settings of a workspace mean for its files. */
export function preparationOf(text: string): Preparation {
  const settings = text === '' ? undefined : settingsOf(text);
  if (settings === undefined || settings.useWorkspaceSetting === true) return plainPreparation;
  const setting = asFields(settings.setting) ?? {};
  const cutting = {
    maxLength: Number(setting.maxLength ?? MAX_LENGTH),
    overlap: Number(setting.overlap ?? 0),
  };
  return { cutting, enabled: setting.enable !== false };
}

function settingsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asFields(parseJson(text));
  } catch {
    return undefined;
  }
}
