import { z } from 'zod';
import { exact, someText, withFallback } from '../http/schema.ts';

export const ROUTE_GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['tokens', ['clientToken', 'loginWithIdp', 'loginWithClient']],
  ['chats', ['chatByKey', 'chatByToken', 'askExpert']],
]);

/** Optional text; the empty text is a value. */
const optionalText = withFallback(z.string('must be a string'), undefined);
export const amount = (name: string) =>
  withFallback(
    z.int(`The parameter ${name} must be an integer.`).min(0, `${name} must not be negative.`),
    undefined,
  );

/** Numbers and texts of a rule. A fault ignores the members that it does not use. */
const settings = {
  status: amount('status'),
  ms: amount('ms'),
  bytes: amount('bytes'),
  events: amount('events'),
  /** Value of the `retry-after` header of F15; the empty text sends no header. */
  retryAfter: optionalText,
  /** Target of F37 `redirect`. */
  to: optionalText,
};

export const ruleRequest = exact({
  fault: someText,
  mode: optionalText,
  route: optionalText,
  skip: amount('skip'),
  count: z.unknown(),
  ...settings,
});

/** A fault that is switched on, with its route and the remaining number of hits. */
export interface FaultRule extends Readonly<z.output<z.ZodObject<typeof settings>>> {
  readonly id: string;
  readonly fault: string;
  readonly mode: string;
  /** Operation id, group (`tokens`, `chats`) or `*`. */
  readonly route: string;
  /** Number of requests that pass before the first hit. */
  skip: number;
  /** Number of hits left; null for no limit. */
  left: number | null;
}
