/** The operator's log. Message text is logged at debug level only. */
export interface Log {
  debug(facts: Readonly<Record<string, unknown>>, text: string): void;
  info(facts: Readonly<Record<string, unknown>>, text: string): void;
  warn(facts: Readonly<Record<string, unknown>>, text: string): void;
  error(facts: Readonly<Record<string, unknown>>, text: string): void;
}

const silence = () => undefined;
/** A log that drops everything. */
export const quiet: Log = { debug: silence, info: silence, warn: silence, error: silence };
