import { asBridgeError, type BridgeError } from '../errors.ts';
import { joinPath } from './base-url.ts';
import { failed, pageInstead, readText } from './exchange.ts';
import { MAX_ERROR_BYTES } from './limits.ts';
import { clientToken, loginWithClient } from './operations/auth.ts';
import { chatByKey } from './operations/chat.ts';
import type { Wiring } from './wiring.ts';
import { withAddress } from './wrong-address.ts';

/** The result of a check of the base address. */
export interface BaseCheck {
  /** The platform's time in milliseconds since the epoch, if it sent one. */
  readonly date?: number | undefined;
  /** Why the platform could not be found at the address, and the cure. */
  readonly fault?: BridgeError;
}

/** Operations of both interfaces: a platform knows the path of at least one, whatever it answers to the request. */
const KNOWN = [loginWithClient, clientToken, chatByKey];

/** Maximum time until a response begins, in milliseconds. */
const PROBE_MS = 5_000;

/**
 * Requests documented paths without credentials, with a method that changes nothing. The base address is right if one
 * of the responses may be the platform's: any but a web page, a redirect, and a 404 that is not in its envelope.
 * Rejects only if the signal aborts.
 */
export async function checkBase(wiring: Wiring, signal: AbortSignal): Promise<BaseCheck> {
  let found: BaseCheck = {};
  for (const { id, path } of KNOWN) {
    const { error, date } = await probe(wiring, id, wiring.paths[id] ?? path, signal);
    const named = withAddress(wiring.base, error);
    const answered = error?.facts.httpStatus !== undefined;
    if (error === undefined || (answered && named === error)) return { date };
    if (found.fault === undefined) found = { date, fault: asBridgeError(named) };
    if (!answered) return found;
  }
  return found;
}

/** Requests the base address itself. Resolves with the reason, and its cure, if no response arrives. */
export async function reachBase(wiring: Wiring, signal: AbortSignal): Promise<BridgeError | undefined> {
  try {
    const answer = await request(wiring, 'probe', '/', signal);
    answer.discard();
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    return asBridgeError(withAddress(wiring.base, thrown));
  }
}

/** Resolves with true if the base address responds with a status below 500. Never rejects. */
export async function answers(wiring: Wiring, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await request(wiring, 'probe', '/', signal);
    answer.discard();
    return answer.status < 500;
  } catch {
    return false;
  }
}

async function probe(wiring: Wiring, operation: string, path: string, signal: AbortSignal) {
  try {
    const answer = await request(wiring, operation, path, signal);
    const date = Date.parse(answer.headers.date ?? '') || undefined;
    if (answer.status >= 300) return { date, error: await failed(wiring, answer, {}) };
    return { date, error: pageInstead(answer, await readText(answer, MAX_ERROR_BYTES)) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { error: asBridgeError(thrown) };
  }
}

const request = (wiring: Wiring, operation: string, path: string, signal: AbortSignal) =>
  wiring.transport.send({
    operation,
    method: 'GET',
    url: joinPath(wiring.base, path),
    headers: { accept: 'application/json' },
    firstByteMs: PROBE_MS,
    signal,
  });
