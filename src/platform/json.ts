/**
 * JSON that preserves large integers: ids have 19 digits, but a JavaScript number is exact only up to 15
 * (platform contract GEN-9).
 */

/**
 * Matches 16 digits without a quotation mark before them, which may be an unsafe integer. Without a match,
 * the plain parser is exact and several times faster. A match inside a string only costs time.
 */
const LONG_RUN = /(?:^|[^"\d])\d{16}/;

/** Parses JSON. Integers outside the safe range become strings of their digits. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
  return LONG_RUN.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

/** Returns the parsed value, or `undefined` if the text is not JSON. */
export function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

/**
 * Returns a value that is written to JSON as a bare integer with these decimal digits, without loss of
 * precision (platform contract GEN-9).
 */
export function bareInteger(digits: string): unknown {
  if (!/^-?\d{1,19}$/.test(digits)) throw new SyntaxError('An integer id contains decimal digits only.');
  return rawJson(BigInt(digits).toString());
}

function rawJson(text: string): unknown {
  const raw: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof raw !== 'function') throw new TypeError('JSON.rawJSON is missing: Node 24 is required.');
  return Reflect.apply(raw, JSON, [text]);
}
