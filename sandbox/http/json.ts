/**
 * JSON with exact integers. Ids of 19 digits exceed the exact range of a JavaScript number (platform contract GEN-9).
 */

const LONG_RUN = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** Parses JSON. An integer outside the safe range becomes a string of its digits. Throws on malformed text. */
export function parseJson(text: string): unknown {
  if (!LONG_RUN.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, ...rest: unknown[]) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const [context] = rest;
    const source = sourceOf(context);
    return source !== undefined && INTEGER.test(source) ? source : value;
  });
}

function sourceOf(context: unknown): string | undefined {
  if (typeof context !== 'object' || context === null || !('source' in context)) return undefined;
  return typeof context.source === 'string' ? context.source : undefined;
}

/** Parses JSON like `parseJson`; returns undefined for malformed text. */
export function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Writes JSON. A bigint becomes an integer without quotation marks. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? rawInteger(member) : member,
  );
}

function rawInteger(value: bigint): unknown {
  const raw: unknown = Reflect.get(JSON, 'rawJSON');
  return typeof raw === 'function' ? raw(value.toString()) : value.toString();
}

/**
 * The JSON object in a request's body. Members that the operation does not know are ignored (platform contract GEN-12:
 * compatibility).
 */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Returns an id as text, whether it was sent as text or as an integer. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isInteger(value) ? String(value) : undefined;
}
