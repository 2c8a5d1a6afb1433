/** A decoded JSON object of a request. Unknown members are ignored (platform contract GEN-12). */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** An id as text, whether it came as digits or as an integer. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isInteger(value) ? String(value) : undefined;
}
