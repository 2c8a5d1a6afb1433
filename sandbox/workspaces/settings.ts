import { z } from 'zod';
import { asFields, type Fields, tryJson } from '../http/json.ts';
import { declined } from '../http/reply.ts';
import { declinedBy, parse } from '../http/schema.ts';
import { MAX_LENGTH, type Preparation, plainPreparation } from '../knowledge/chunk.ts';

const OBJECT = 'The parameter "settings" must be a JSON object in a string.';
const LENGTH = 'The setting maxLength must be a positive integer.';
const OVERLAP = 'The setting overlap must be an integer from 0 to half of maxLength.';
const toggle = (name: string) => z.boolean(`The setting ${name} must be true or false.`).nullish();

const setting = z
  .object(
    {
      mode: z.enum(['default', 'refine'], 'The setting mode must be default or refine.').nullish(),
      ocrMode: z.enum(['read', 'layout'], 'The setting ocrMode must be read or layout.').nullish(),
      enable: toggle('enable'),
      previewEnable: toggle('previewEnable'),
      maxLength: z.int(LENGTH).min(1, LENGTH).nullish(),
      overlap: z.int(OVERLAP).min(0, OVERLAP).nullish(),
    },
    OBJECT,
  )
  // Refuse a larger overlap, because it would make so many chunks that a small file could fill the disk.
  .refine(({ maxLength, overlap }) => (overlap ?? 0) <= (maxLength ?? MAX_LENGTH) / 2, OVERLAP);

/** Schema of a workspace's settings. Accepts only documented values (platform contract WSP-6, ENU-12, ENU-13). */
const settings = z.preprocess(
  (text) => tryJson(String(text)),
  z.object({ useWorkspaceSetting: toggle('useWorkspaceSetting'), setting: setting.nullish() }, OBJECT),
);

export const checkSettings = (text: string): unknown => parse(settings, text, declinedBy);

/** Returns how a workspace prepares its files for search. The mode `refine` halves the length of chunks. */
export function preparationOf(text: string): Preparation {
  const own = ownSetting(text);
  if (own === undefined) return plainPreparation;
  const most = own.maxLength ?? MAX_LENGTH;
  const maxLength = own.mode === 'refine' ? Math.ceil(most / 2) : most;
  return {
    cutting: { maxLength, overlap: Math.min(own.overlap ?? 0, Math.floor(maxLength / 2)) },
    enabled: own.enable !== false,
  };
}

/** True if the workspace's files can be previewed (platform contract WSP-8: `previewEnable`). */
export const showsPreviews = (text: string): boolean => ownSetting(text)?.previewEnable !== false;

/** Returns the setting in a workspace's settings; undefined if it is ignored (platform contract WSP-9). */
function ownSetting(text: string): Readonly<z.output<typeof setting>> | undefined {
  const { data } = settings.safeParse(text);
  return data === undefined || data.useWorkspaceSetting === true ? undefined : (data.setting ?? {});
}

/** Types of a metadata entry: 0 means any text, 1 means one of the texts in `limit` (platform contract ENU-14). */
const OPTION = 1;
const TYPES: readonly unknown[] = [0, OPTION, undefined, null];

/**
 * Checks metadata. Refuses a text that is not a JSON array of entries with a name, a known type and readable options
 * (platform contract WSP-10). Returns the text (empty if there are no entries), and a warning for each value that is
 * not among its options.
 */
export function checkMetadata(text: string) {
  if (text === '') return { text, warnings: [] };
  const list = tryJson(text);
  if (!Array.isArray(list)) throw declined(`${MUST_BE}.`);
  const warnings = list.flatMap((entry) => checkEntry(asFields(entry)) ?? []);
  return { text: list.length === 0 ? '' : text, warnings };
}

const MUST_BE = 'The parameter "metadataTemplate" must be a JSON array of entries with a name, in a string';

function checkEntry(entry: Fields | undefined): string | undefined {
  const { name, type, limit, value } = entry ?? {};
  if (typeof name !== 'string' || name.trim() === '') throw declined(`${MUST_BE}.`);
  if (!TYPES.includes(type)) throw declined(`${MUST_BE}; the type of ${name} must be 0 or 1.`);
  if (typeof (value ?? '') === 'object')
    throw declined(`${MUST_BE}; the value of ${name} must be a text, a number, true or false.`);
  if (type !== OPTION) return undefined;
  const options = typeof limit === 'string' ? tryJson(limit) : undefined;
  if (!Array.isArray(options)) {
    throw declined(`${MUST_BE}; the limit of ${name} must be a JSON array of options, in a string.`);
  }
  const allowed = (value ?? '') === '' || options.map(String).includes(String(value));
  return allowed ? undefined : `The value of the metadata ${name} is not one of its options.`;
}
