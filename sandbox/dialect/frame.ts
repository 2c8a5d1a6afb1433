/** One event of an answer before its bytes are chosen. */
export interface Frame {
  readonly kind: 'stream' | 'tool_result' | 'end' | 'error';
  /** Name of the event; the Open API sends none (platform contract EXP-14). */
  readonly event: string | undefined;
  readonly data: unknown;
  /** The words that this frame adds, for dialects that send nothing but text. */
  readonly text: string;
}

/** A plain object, or undefined. */
export function members(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}
