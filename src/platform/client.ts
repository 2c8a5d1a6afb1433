import type { z } from 'zod';
import type { BridgeError } from '../errors.ts';
import { signer } from './authority.ts';
import { confirms, refusalOf } from './envelope.ts';
import { open, pageInstead, readText, refused, unreadable } from './exchange.ts';
import { callError } from './failure.ts';
import { tryJson } from './json.ts';
import { MAX_JSON_BYTES } from './limits.ts';
import type { Described, Operation } from './operation.ts';
import { delayBefore, RETRY, type RetryRule } from './retry.ts';
import type { WireAnswer } from './transport.ts';
import { type CallContext, outcomeOf, type Wiring, within } from './wiring.ts';
import { withAddress } from './wrong-address.ts';

interface Attempt {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Maximum milliseconds for the whole call, including repetitions. */
  readonly limitMs: number;
}

/**
 * Calls an operation that returns JSON. Repeats the call according to the operation's retry rule, and renews the
 * token once after an authentication failure. Throws a `BridgeError` with a platform code, or the signal's reason if
 * the signal aborts.
 */
export function call<Schema extends z.ZodObject, Result>(
  wiring: Wiring,
  operation: Operation<Schema, Result>,
  request: z.input<Schema>,
  context: CallContext,
): Promise<Result> {
  return attempted(wiring, operation, context, async ({ headers, signal, limitMs }) => {
    const { onProgress } = context;
    const ticket = { headers, signal, firstByteMs: limitMs, accept: 'application/json', onProgress };
    const answer = await open(wiring, operation, request, ticket);
    const text = await readText(answer, MAX_JSON_BYTES);
    const { confirmedBy, method } = operation;
    const bodiless = text.trim() === '';
    const body = bodiless ? undefined : parsed(answer, text);
    const refusal = refusalOf(body);
    if (refusal !== undefined) throw refused(wiring, answer, refusal, { ...headers, ...request });
    const writes = confirmedBy !== 'result';
    const isDone = (bodiless && method === 'DELETE') || (writes && confirms(body, confirmedBy));
    if (writes && !isDone) throw unconfirmed(operation.id, answer.status);
    const result = unlessTooDeep(answer, () => {
      const read = bodiless ? undefined : operation.read(body, wiring.deployment);
      return operation.response.safeParse(read ?? (isDone ? NO_RESULT[operation.shape] : undefined));
    });
    if (result.success) return result.data;
    const missing = result.error.issues.map(({ path }) => path.join('.') || 'its content');
    throw unreadable(answer, `lacks ${missing.join(', ')}`);
  });
}

/** Results of operations that were confirmed, but whose result the platform did not send. */
const NO_RESULT: Readonly<Record<Described['shape'], unknown>> = {
  one: { raw: {} },
  many: [],
  page: undefined,
  nothing: undefined,
};

function parsed(answer: WireAnswer, text: string): unknown {
  const body = tryJson(text);
  if (body === undefined) throw pageInstead(answer, text) ?? unreadable(answer, 'is not JSON');
  return body;
}

/** Returns the error for a change that the platform neither confirmed nor refused (platform contract GEN-4). */
function unconfirmed(operation: string, httpStatus: number): BridgeError {
  const message = `The platform did not confirm ${operation}: its answer does not report a success. Check whether it was done before you repeat it.`;
  return callError('platform-unconfirmed', operation, message, { httpStatus });
}

/** Runs the attempts of one call within its time limit and reports the outcome to the metrics. */
export async function attempted<T>(
  wiring: Wiring,
  operation: Described,
  context: Pick<CallContext, 'authority' | 'signal'>,
  attempt: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { id } = operation;
  const limitMs = operation.body === 'form' ? wiring.timeouts.uploadMs : wiring.timeouts.callMs;
  const { signal, stop } = within(wiring.clock, limitMs, context.signal, () =>
    callError('platform-timeout', id, `${id} was not answered in ${limitMs} ms.`),
  );
  const began = wiring.clock.now();
  let outcome = 'ok';
  try {
    return await signed(wiring, operation, { ...context, signal }, (headers) =>
      repeated(wiring, RETRY[operation.retry], signal, () => attempt({ headers, signal, limitMs })),
    );
  } catch (error) {
    outcome = outcomeOf(error, context.signal);
    throw withAddress(wiring.base, error);
  } finally {
    stop();
    wiring.called({ operation: id, outcome, ms: wiring.clock.now() - began });
  }
}

/**
 * Runs `read` and throws an error if the stack overflows, because a malicious server may nest a tree of organizations
 * without limit (attack S22).
 */
function unlessTooDeep<T>(answer: WireAnswer, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof RangeError ? unreadable(answer, 'is nested too deeply') : thrown;
  }
}

/**
 * Runs `attempt` with authentication headers. Repeats it with a renewed token or under the other authentication
 * scheme if the platform refuses the headers.
 */
export async function signed<T>(
  wiring: Wiring,
  operation: Pick<Described, 'capability' | 'credential'>,
  context: Pick<CallContext, 'authority' | 'signal'>,
  attempt: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const sign = signer(context.authority, operation, wiring.schemes);
  for (;;) {
    const headers = await sign.headers(context.signal);
    try {
      const result = await attempt(headers);
      sign.succeeded();
      return result;
    } catch (error) {
      if (!sign.again(error)) throw error;
    }
  }
}

/** Runs `attempt`, again after each error that may pass, within the limits of the rule. */
export async function repeated<T>(
  wiring: Wiring,
  rule: RetryRule,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  const { clock, random } = wiring;
  const began = clock.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delay = delayBefore(error, { rule, tries, elapsedMs: clock.now() - began, random });
      if (delay === undefined) throw error;
      await clock.wait(delay, signal);
    }
  }
}
