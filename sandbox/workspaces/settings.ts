import { z } from 'zod';
import { parseJson } from '../http/json.ts';
import { declinedBy, parse } from '../http/schema.ts';
import { MAX_LENGTH, type Preparation, plainPreparation } from '../knowledge/prepare.ts';

const OBJECT = 'The parameter settings must be a JSON object in a string.';
const LENGTH = 'The setting maxLength must be a positive integer.';
const OVERLAP = 'The setting overlap must be an integer from 0 to half of maxLength.';
const toggle = (name: string) => z.boolean(`The setting ${name} must be true or false.`).nullish();

const setting = z
  .object(
    {
      mode: z.enum(['default', 'refine'], 'The setting mode must be default or refine.').nullish(),
      ocrMode: z.enum(['read', 'layout'], 'The setting ocrMode must be read or layout.').nullish(),
      enable: toggle('enable'),
      maxLength: z.int(LENGTH).min(1, LENGTH).nullish(),
      overlap: z.int(OVERLAP).min(0, OVERLAP).nullish(),
    },
    OBJECT,
  )
  // More would make so many chunks that a small file fills the disk.
  .refine(({ maxLength, overlap }) => (overlap ?? 0) <= (maxLength ?? MAX_LENGTH) / 2, OVERLAP);

/** Settings of a workspace, of which only documented values are taken (platform contract WSP-6, ENU-12, ENU-13). */
const settings = z.preprocess(
  tryJson,
  z.object({ useWorkspaceSetting: toggle('useWorkspaceSetting'), setting: setting.nullish() }, OBJECT),
);

export const checkSettings = (text: string): unknown => parse(settings, text, declinedBy);

/** What the settings of a workspace mean for its files. */
export function preparationOf(text: string): Preparation {
  const { useWorkspaceSetting, setting: own } = settings.safeParse(text).data ?? {
    useWorkspaceSetting: true,
  };
  if (useWorkspaceSetting === true) return plainPreparation;
  const cutting = { maxLength: own?.maxLength ?? MAX_LENGTH, overlap: own?.overlap ?? 0 };
  return { cutting, enabled: own?.enable !== false };
}

function tryJson(text: unknown): unknown {
  try {
    return parseJson(String(text));
  } catch {
    return undefined;
  }
}
