/** Readers of untyped JSON. */

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text = (from: Json | undefined, name: string): string | undefined => {
  const value = from?.[name];
  return typeof value === 'string' ? value : undefined;
};

export const number = (from: Json | undefined, name: string): number | undefined => {
  const value = from?.[name];
  return typeof value === 'number' ? value : undefined;
};

export const child = (from: Json | undefined, name: string): Json | undefined => {
  const value = from?.[name];
  return isJson(value) ? value : undefined;
};

/** Returns the objects in a list, and leaves out all other values. */
export const list = (from: Json | undefined, name: string): readonly Json[] => {
  const value = from?.[name];
  return Array.isArray(value) ? value.filter(isJson) : [];
};
