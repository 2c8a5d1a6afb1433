import { z } from 'zod';
import { exact, requiredText, withFallback } from '../http/schema.ts';

export const ROUTE_GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['tokens', ['clientToken', 'loginWithIdp', 'loginWithClient']],
  ['chats', ['chatByKey', 'chatByToken', 'askExpert']],
]);

/** Schema of a text that may be absent. An empty text does not count as absent. */
const optionalText = withFallback(z.string('must be a string'), undefined);
export const amount = (name: string) =>
  withFallback(
    z.int(`The parameter "${name}" must be an integer.`).min(0, `${name} must not be negative.`),
    undefined,
  );

/** Numbers and texts of a rule. Each fault uses some of them and ignores the others. */
const settings = {
  status: amount('status'),
  ms: amount('ms'),
  bytes: amount('bytes'),
  events: amount('events'),
  /** Value of the `retry-after` header of F15; the empty text sends no header. */
  retryAfter: optionalText,
  /** Address to which F37 in mode `redirect` redirects. */
  to: optionalText,
};

export const ruleRequest = exact({
  fault: requiredText,
  mode: optionalText,
  route: optionalText,
  skip: amount('skip'),
  count: z.unknown(),
  ...settings,
});

/** A fault that is switched on: where it occurs, and how many times it will still occur. */
export interface FaultRule extends Readonly<z.output<z.ZodObject<typeof settings>>> {
  readonly id: string;
  readonly fault: string;
  readonly mode: string;
  /** Operation id, group of operations (`tokens`, `chats`), or `*` for all. */
  readonly route: string;
  /** Number of requests to leave alone before the first hit. */
  skip: number;
  /** Number of hits left; null for no limit. */
  left: number | null;
}
