/** What the operator is told. Message text is never told above debug. */
export interface Log {
  debug(facts: Readonly<Record<string, unknown>>, text: string): void;
  info(facts: Readonly<Record<string, unknown>>, text: string): void;
  warn(facts: Readonly<Record<string, unknown>>, text: string): void;
  error(facts: Readonly<Record<string, unknown>>, text: string): void;
}
