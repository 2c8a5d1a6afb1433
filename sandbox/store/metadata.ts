import { asFields, tryJson } from '../http/json.ts';

/** An entry of a file's metadata (platform contract FIL-10, WSP-10: metadata). */
interface Entry {
  readonly name: string;
  readonly value: string;
}

/** Reads the entries of stored metadata. Ignores entries that it cannot read, because the store accepts any text. */
export function readEntries(text: string): readonly Entry[] {
  const list: unknown = text === '' ? [] : tryJson(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const { name, value } = asFields(item) ?? {};
    return typeof name === 'string' && name !== '' && isValue(value) ? [{ name, value: String(value) }] : [];
  });
}

const isValue = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
