/**
 * The part of the scripted platform behind an agent of the Open API: sign-in with a signed request, and sessions. Its
 * tokens expire after 1.2 s, so that the bridge signs in often and meets the faults of the sign-in.
 */

import type { Reply } from '../../../sandbox/http/reply.ts';

export const SIGN_IN = '/openapi/auth/client_with_account';
export const ASK = '/openapi/chat/expert';
/** Client of the agent; other clients never get a response to their sign-in. */
export const CLIENT = 'member';

/** Lifetime of a token in minutes. */
const TOKEN_MINUTES = 0.02;
/** Maximum difference between a signature's time and the platform's clock, in milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

export interface MemberAgent {
  /** F14: for `ms` milliseconds, the token endpoint responds with 503. */
  signInDown(ms: number): void;
  /** F14: puts the platform's clock ahead by `aheadMs`. */
  setClock(aheadMs: number): void;
  /** F16: the platform forgets its sessions. */
  forgetSessions(): void;
  /** Times at which a fault refused a sign-in. */
  readonly refusedAt: readonly number[];
  signIn(body: string): Reply;
  /**
   * Returns the session that the request names, or a new session if the request names none. Returns undefined if the
   * platform does not know the named session.
   */
  session(body: string): string | undefined;
}

export function createMemberAgent(): MemberAgent {
  const sessions = new Set<string>();
  let count = 0;
  const refusedAt: number[] = [];
  let downUntil = 0;
  let aheadMs = 0;
  return {
    signInDown(ms) {
      downUntil = Date.now() + ms;
    },
    setClock(ms) {
      aheadMs = ms;
    },
    forgetSessions: () => sessions.clear(),
    refusedAt,
    signIn(body) {
      const now = Date.now() + aheadMs;
      const headers = { 'content-type': 'application/json', date: new Date(now).toUTCString() };
      const refusal = (status: number, message: string): Reply => {
        refusedAt.push(Date.now());
        return {
          status,
          headers,
          body: JSON.stringify({ code: status, message, success: false, data: null }),
        };
      };
      if (Date.now() < downUntil) return refusal(503, 'The token service is unavailable.');
      const { timestamp } = JSON.parse(body) as { timestamp: number };
      if (Math.abs(timestamp - now) > MAX_SKEW_MS) return refusal(401, 'The signature has expired.');
      count += 1;
      const data = { access_token: `token-${count}`, expires_in: TOKEN_MINUTES };
      return { status: 200, headers, body: JSON.stringify({ code: 200, success: true, data }) };
    },
    session(body) {
      const { sessionId } = JSON.parse(body) as { sessionId: string | null };
      if (sessionId !== null) return sessions.has(sessionId) ? sessionId : undefined;
      count += 1;
      const session = `session-${count}`;
      sessions.add(session);
      return session;
    },
  };
}

export const UNKNOWN_SESSION: Reply = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code: 40004, message: 'The session does not exist.', success: false, data: null }),
};
