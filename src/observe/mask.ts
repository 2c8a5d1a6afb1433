import { MASK } from '../secret.ts';

/** Facts with these names are never written, whatever they hold. */
const SECRET_NAME = /secret|password|authorization|cookie|signature|api-?key|^(access_?|console)?token$/i;
/** Credentials inside a sentence or an address: `Bearer x`, `openapi x`. */
const SCHEME_TEXT = /\b(bearer|openapi)(\s+)[\w.~+/=-]{8,}/gi;
/** And `api-key: x`, `token=x`. */
const NAMED_TEXT =
  /\b(api-key|access_token|token|secret|signature|password)(["']?\s*[:=]\s*["']?)[^\s"',&;]+/gi;
/** Facts are shallow; what is nested deeper is left out. */
const DEPTH = 4;
/** Characters of one fact or sentence that are written. */
const LENGTH = 4_000;

export type Facts = Readonly<Record<string, unknown>>;

export function maskText(text: string): string {
  const masked = `$1$2${MASK}`;
  return text.slice(0, LENGTH).replace(SCHEME_TEXT, masked).replace(NAMED_TEXT, masked);
}

/** Facts as they may be written: secrets by name and in sentences are `***`, errors are spelled out. */
export function maskFacts(facts: Facts, depth = 0): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      SECRET_NAME.test(name) ? MASK : maskValue(value, depth),
    ]),
  );
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH) return '…';
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  if (value instanceof Error) return maskError(value, depth);
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => maskValue(item, depth + 1));
  return maskFacts({ ...value }, depth + 1);
}

function maskError(error: Error, depth: number): Facts {
  const { cause, stack } = error;
  return {
    type: error.name,
    ...('code' in error && { code: error.code }),
    message: maskText(error.message),
    ...('facts' in error && { facts: maskValue(error.facts, depth + 1) }),
    ...(stack !== undefined && { stack: maskText(stack) }),
    ...(cause !== undefined && { cause: maskValue(cause, depth + 1) }),
  };
}
