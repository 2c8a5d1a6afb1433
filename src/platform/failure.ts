import { BridgeError, type BridgeErrorOptions, type ErrorCode } from '../errors.ts';
import type { Refusal } from './envelope.ts';
import { oneLine, redact } from './redact.ts';

/**
 * Matches the text of errors that mean "sign in again". Needed because the platform's documentation does not list the
 * statuses of such errors in the Open API (platform contract AUT-16).
 */
export const AUTH_PATTERN =
  /\bunauthori[sz]ed\b|\bunauthenticated\b|authentication (?:failed|required)|not (?:logged|signed) in|\b(?:invalid|expired|missing|unknown) (?:access[ _-]?|bearer )?(?:token|api[ _-]?key)\b|\b(?:token|api[ _-]?key) (?:is |has |was )?(?:invalid|expired|revoked|missing|unknown)|(?:login|sign[- ]?in) (?:required|expired)|未登录|登录.{0,4}(?:失效|过期|超时)|(?:令牌|token).{0,4}(?:无效|过期|失效)|认证失败|身份验证失败|未授权/i;
const PERMISSION_PATTERN =
  /permission|forbidden|access denied|not allowed|not authori[sz]ed to|无权|没有.{0,4}权限|权限不足/i;
const TEXT_LIMIT = 200;

/** Returns the error of a failed call, with the name of the operation in its `facts`. */
export function callError(
  code: ErrorCode,
  operation: string,
  message: string,
  more: BridgeError['facts'] = {},
): BridgeError {
  return new BridgeError(code, message, { facts: { operation, ...more } });
}

interface Refused {
  readonly operation: string;
  readonly status: number;
  readonly refusal: Refusal;
  /** Delay that the platform requested, in milliseconds; absent if it requested none. */
  readonly retryAfterMs?: number | undefined;
  /** The server's clock, in milliseconds since the epoch. */
  readonly serverTime?: number | undefined;
  /** Credentials of the call, which are masked in the error's text. */
  readonly secrets: readonly string[];
  readonly authPattern: RegExp;
}

/**
 * Returns the error for a refused call, chosen by status, code and text (platform contract ERR-1, ERR-2, AUT-16,
 * AUT-17).
 */
export function failureOf(refused: Refused): BridgeError {
  const text = oneLine(redact(refused.refusal.text, refused.secrets), TEXT_LIMIT);
  const code = classify(refused);
  const reason = text === '' ? `HTTP ${refused.status}` : text;
  return new BridgeError(code, `The platform refused ${refused.operation}: ${reason}`, {
    ...sentence(code, text, refused.retryAfterMs),
    ...(refused.retryAfterMs === undefined ? {} : { retryAfterMs: refused.retryAfterMs }),
    facts: factsOf(refused),
  });
}

function factsOf({ operation, status, refusal, serverTime }: Refused): BridgeError['facts'] {
  return {
    operation,
    httpStatus: status,
    ...(refusal.code === undefined ? {} : { code: refusal.code }),
    ...(refusal.enveloped === undefined ? {} : { enveloped: refusal.enveloped }),
    ...(serverTime === undefined ? {} : { serverTime }),
  };
}

function classify({ status, refusal, authPattern }: Refused): ErrorCode {
  const code = refusal.code ?? status;
  if (status === 429 || code === 429) return 'platform-busy';
  if (status === 403 || code === 403) return 'platform-permission';
  if (status === 401 || code === 401) return 'platform-auth';
  if (status >= 500 || code >= 50000 || (code >= 500 && code < 600)) return 'platform-server';
  if (authPattern.test(refusal.text)) return 'platform-auth';
  if (PERMISSION_PATTERN.test(refusal.text)) return 'platform-permission';
  if (status === 400 || code === 422 || code === 400 || (code >= 40000 && code < 40100))
    return 'platform-parameter';
  return 'platform-refused';
}

/**
 * Returns the options of an error. They contain a sentence for the person, which quotes the platform's message if
 * that helps (faults F12, F15).
 */
function sentence(code: ErrorCode, text: string, retryAfterMs: number | undefined): BridgeErrorOptions {
  if (code === 'platform-busy' && retryAfterMs !== undefined && retryAfterMs > 0) {
    return { tellUser: `The agent is very busy. Please try again in ${span(retryAfterMs)}.` };
  }
  const passedOn =
    code === 'platform-permission' || code === 'platform-parameter' || code === 'platform-refused';
  if (!passedOn || text === '') return {};
  return { tellUser: `The agent platform refused the question: "${text}"`, said: text };
}

function span(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (ms <= 90_000) return `${Math.ceil(ms / 1000)} seconds`;
  return minutes <= 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
