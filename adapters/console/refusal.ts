import type { ErrorCode } from '../../src/kit/ladder.ts';
import { BridgeError } from '../../src/kit.ts';

/** An error with which a request is refused. The page shows `message` to the person. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which the client may repeat the request. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, message: string, retryAfter?: number) {
    super(message);
    this.name = 'HttpRefusal';
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export const badRequest = (message: string): HttpRefusal => new HttpRefusal(400, 'bad-request', message);
export const notFound = (message: string): HttpRefusal => new HttpRefusal(404, 'not-found', message);
export const forbidden = (message: string): HttpRefusal => new HttpRefusal(403, 'forbidden', message);

const statusOf: Partial<Record<ErrorCode, number>> = {
  'access-denied': 403,
  'lane-full': 429,
  'question-empty': 400,
  'question-too-long': 400,
  'sign-in-unavailable': 503,
  'store-unavailable': 503,
  'too-many-questions': 429,
  usage: 409,
};

/** Converts an error into a refusal; returns undefined if the error is unexpected. */
export function asRefusal(thrown: unknown): HttpRefusal | undefined {
  if (thrown instanceof HttpRefusal) return thrown;
  if (thrown instanceof BridgeError) {
    return new HttpRefusal(statusOf[thrown.code] ?? 500, thrown.code, thrown.tellUser);
  }
  if (thrown instanceof URIError) return badRequest('That address could not be read.');
  return undefined;
}
