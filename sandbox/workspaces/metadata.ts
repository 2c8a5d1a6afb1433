import { asFields, type Fields } from '../http/fields.ts';
import { parseJson } from '../http/json.ts';
import { declined } from '../http/refusal.ts';

/** Entries are text, or one of the options of their limit (platform contract ENU-14). */
const OPTION = 1;
const TYPES: readonly unknown[] = [0, OPTION, undefined, null];

export interface CheckedMetadata {
  /** As it was given; empty where there are no entries. */
  readonly text: string;
  /** What is odd about it but allowed: a value that is none of its options (platform contract WSP-10). */
  readonly warnings: readonly string[];
}

/** Refuses what is no JSON array of entries with a name, a known type and readable options (platform contract WSP-10). */
export function checkMetadata(text: string): CheckedMetadata {
  if (text === '') return { text, warnings: [] };
  const list = parsed(text);
  if (!Array.isArray(list)) throw declined(`${MUST_BE}.`);
  const warnings = list.flatMap((entry) => checkEntry(asFields(entry)) ?? []);
  return { text: list.length === 0 ? '' : text, warnings };
}

const MUST_BE = 'The parameter metadataTemplate must be a JSON array of entries with a name, in a string';

function checkEntry(entry: Fields | undefined): string | undefined {
  const { name, type, limit, value } = entry ?? {};
  if (typeof name !== 'string' || name.trim() === '') throw declined(`${MUST_BE}.`);
  if (!TYPES.includes(type)) throw declined(`${MUST_BE}; the type of ${name} must be 0 or 1.`);
  if (typeof (value ?? '') === 'object')
    throw declined(`${MUST_BE}; the value of ${name} must be a text, a number, true or false.`);
  if (type !== OPTION) return undefined;
  const options = typeof limit === 'string' ? parsed(limit) : undefined;
  if (!Array.isArray(options)) {
    throw declined(`${MUST_BE}; the limit of ${name} must be a JSON array of options, in a string.`);
  }
  const allowed = (value ?? '') === '' || options.map(String).includes(String(value));
  return allowed ? undefined : `The value of the metadata ${name} is none of its options.`;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
