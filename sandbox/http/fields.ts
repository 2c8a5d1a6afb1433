import { invalid, missing } from './refusal.ts';

/** A decoded JSON object of a request. Unknown members are ignored (platform contract GEN-12). */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

const present = (value: unknown): boolean => value !== undefined && value !== null;

export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (!present(value)) return undefined;
  if (typeof value !== 'string') throw invalid(`The parameter ${name} must be a string.`);
  return value;
}

export function requiredText(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (value === undefined || value === '') throw missing(name);
  return value;
}

export function optionalFlag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (!present(value)) return false;
  if (typeof value !== 'boolean') throw invalid(`The parameter ${name} must be true or false.`);
  return value;
}

export function optionalInteger(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (!present(value)) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw invalid(`The parameter ${name} must be an integer.`);
  }
  return value;
}

/** A string or an array of strings; ids may come as integers too (platform contract GEN-9, CHL-10). */
export function textList(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  if (!present(value) || value === '') return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item) => {
    const id = idText(item);
    if (id === undefined) throw invalid(`The parameter ${name} must be a string or an array of strings.`);
    return id;
  });
}

/** An id as text, whether it came as digits or as an integer. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isInteger(value) ? String(value) : undefined;
}
