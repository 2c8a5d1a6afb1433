import type { z } from 'zod';
import { BridgeError } from '../errors.ts';
import { signer } from './authority.ts';
import { refusalOf } from './envelope.ts';
import { open, readJson, refused, unreadable } from './exchange.ts';
import { type Described, type Operation, retryRule } from './operation.ts';
import { delayBefore } from './retry.ts';
import type { WireAnswer } from './transport.ts';
import { type CallContext, outcomeOf, type Progress, type Wiring, within } from './wiring.ts';

/**
 * Calls an operation whose answer is JSON. Repeats as its rule says, renews the token once on an authentication
 * failure. Throws a `BridgeError` with a platform code; an aborted signal throws its reason.
 */
export function call<Schema extends z.ZodObject, Result>(
  wiring: Wiring,
  operation: Operation<Schema, Result>,
  request: z.input<Schema>,
  context: CallContext,
): Promise<Result> {
  return bounded(wiring, operation, context, ({ signal, limitMs }) =>
    signed(wiring, operation, { ...context, signal }, (headers) =>
      repeated(wiring, operation, signal, () =>
        once(wiring, operation, request, { headers, signal, limitMs, onProgress: context.onProgress }),
      ),
    ),
  );
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Runs one call within its time, and tells the metrics how it ended. */
export async function bounded<T>(
  wiring: Wiring,
  operation: Described,
  { signal: outer }: Pick<CallContext, 'signal'>,
  work: (bounds: Bounds) => Promise<T>,
): Promise<T> {
  const limitMs = operation.body === 'form' ? wiring.timeouts.uploadMs : wiring.timeouts.callMs;
  const { signal, stop } = within(wiring.clock, limitMs, outer, () => callLate(operation.id, limitMs));
  const began = wiring.clock.now();
  let outcome = 'ok';
  try {
    return await work({ signal, limitMs });
  } catch (error) {
    outcome = outcomeOf(error, outer);
    throw error;
  } finally {
    stop();
    wiring.called({ operation: operation.id, outcome, ms: wiring.clock.now() - began });
  }
}

interface Ticket extends Bounds {
  readonly headers: Readonly<Record<string, string>>;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

async function once<Schema extends z.ZodObject, Result>(
  wiring: Wiring,
  operation: Operation<Schema, Result>,
  request: z.input<Schema>,
  ticket: Ticket,
): Promise<Result> {
  const answer = await open(wiring, operation, request, {
    ...ticket,
    firstByteMs: ticket.limitMs,
    accept: 'application/json',
  });
  const body = await readJson(answer);
  const refusal = refusalOf(body);
  if (refusal !== undefined) throw refused(wiring, answer, refusal, ticket.headers);
  const result = unlessTooDeep(answer, () =>
    operation.response.safeParse(operation.read(body, wiring.deployment)),
  );
  if (result.success) return result.data;
  throw unreadable(
    answer,
    `lacks ${result.error.issues.map((issue) => issue.path.join('.') || 'its content').join(', ')}`,
  );
}

/** A tree that is deeper than the stack is nobody's organization (attack S22). */
function unlessTooDeep<T>(answer: WireAnswer, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof RangeError ? unreadable(answer, 'is nested too deeply') : thrown;
  }
}

/** Runs `attempt` with the authority's headers, and again after a renewal or under the other scheme. */
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

export async function repeated<T>(
  wiring: Wiring,
  operation: Pick<Described, 'retry'>,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  const began = wiring.clock.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const elapsedMs = wiring.clock.now() - began;
      const rule = retryRule(operation);
      const delay = delayBefore(error, { rule, tries, elapsedMs, random: wiring.random });
      if (delay === undefined) throw error;
      await wiring.clock.wait(delay, signal);
    }
  }
}

function callLate(operation: string, ms: number): BridgeError {
  return new BridgeError('platform-timeout', `${operation} was not answered in ${ms} ms.`, {
    facts: { operation },
  });
}
