/** Calls with a token, which goes to the hosts of its service only, and is renewed once where it is refused. */

import type { Log } from '../../../src/kit.ts';
import type { Audience } from '../clouds.ts';
import type { Hosts } from './hosts.ts';
import type { Http, HttpAnswer, HttpRequest } from './http.ts';

/** Signs the bridge in at Microsoft's services. */
export interface Tokens {
  /**
   * A token for the service, kept until shortly before it expires. One that was `refused` is not given again: it is
   * renewed. Throws `BridgeError` where Microsoft gives none.
   */
  get(audience: Audience, signal: AbortSignal, refused?: string): Promise<string>;
}

export interface CallRequest extends Pick<HttpRequest, 'method' | 'url'> {
  /** Becomes JSON. */
  readonly content?: object;
  /** Bytes that the answer may have; an answer of JSON has far fewer. */
  readonly limit?: number;
  /** Milliseconds that the call may take. */
  readonly withinMs?: number;
}

export interface Caller {
  /** Rejects only with the signal's reason. A foreign address is `unsent`. */
  call(request: CallRequest, signal: AbortSignal): Promise<HttpAnswer>;
}

interface CallerDeps {
  readonly http: Pick<Http, 'send'>;
  readonly hosts: Hosts;
  readonly tokens: Tokens;
  readonly log: Log;
}

/** Teams answers within a second or two; a call that takes this long is given up, and its outcome is open. */
const CALL_MS = 15_000;
/** A page of 500 members has some 200 KB. */
const JSON_BYTES = 2 * 1024 * 1024;
const UNAUTHORIZED = 401;

export function createCaller({ http, hosts, tokens, log }: CallerDeps): Caller {
  const once = (request: CallRequest, token: string | undefined, signal: AbortSignal) =>
    http.send(wired(request, token), signal);
  const tokenFor = async (audience: Audience, signal: AbortSignal, refused?: string) => {
    try {
      return await tokens.get(audience, signal, refused);
    } catch (err) {
      signal.throwIfAborted();
      log.error({ err, audience }, 'Microsoft issued no token; messages to Teams wait or are dropped');
      return undefined;
    }
  };
  return {
    async call(request, signal) {
      const service = hosts.serviceOf(request.url);
      if (service === undefined) return { kind: 'unsent', reason: 'foreign-address' };
      if (service === 'files') return once(request, undefined, signal);
      const token = await tokenFor(service, signal);
      if (token === undefined) return { kind: 'unsent', reason: 'no-token' };
      const answer = await once(request, token, signal);
      if (answer.kind !== 'answered' || answer.status !== UNAUTHORIZED) return answer;
      const renewed = await tokenFor(service, signal, token);
      return renewed === undefined || renewed === token ? answer : once(request, renewed, signal);
    },
  };
}

function wired(
  { method, url, content, limit = JSON_BYTES, withinMs = CALL_MS }: CallRequest,
  token: string | undefined,
): HttpRequest {
  return {
    method,
    url,
    limit,
    withinMs,
    headers: {
      accept: 'application/json, */*;q=0.5',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(content !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    },
    ...(content !== undefined && { body: JSON.stringify(content) }),
  };
}
