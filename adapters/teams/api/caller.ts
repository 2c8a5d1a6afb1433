/**
 * Makes calls with the bot's token. Sends a token only to hosts of the service that the token is for. Renews a refused
 * token once.
 */

import type { Log } from '../../../src/kit.ts';
import type { Audience } from '../clouds.ts';
import type { Hosts } from './hosts.ts';
import type { Http, HttpAnswer, HttpRequest } from './http.ts';

/** Tokens of the bot for Microsoft's services. */
export interface Tokens {
  /**
   * Returns a token for the service. The token is cached until shortly before its expiry. Requests a new token if the
   * cached one equals `refused`. Throws `BridgeError` if Microsoft issues none.
   */
  get(audience: Audience, signal: AbortSignal, refused?: string): Promise<string>;
}

export interface CallRequest extends Pick<HttpRequest, 'method' | 'url'> {
  /** Content to send as JSON. */
  readonly content?: object;
  /** Maximum bytes of the response; default: 2 MiB. */
  readonly limit?: number;
  /** Maximum time of the call in milliseconds; default: 15 s. */
  readonly withinMs?: number;
}

/** Makes a call. Returns `unsent` if the address is not one of Microsoft's. Rejects only with the signal's reason. */
export type Caller = (request: CallRequest, signal: AbortSignal) => Promise<HttpAnswer>;

/**
 * Maximum duration of a call, in milliseconds; after that, its outcome is unknown. Teams usually responds within 2 s.
 */
const CALL_MS = 15_000;
/** Maximum bytes of a JSON response. A page of 500 members has about 200 KB. */
const JSON_BYTES = 2 * 1024 * 1024;
const UNAUTHORIZED = 401;

export function createCaller(http: Pick<Http, 'send'>, hosts: Hosts, tokens: Tokens, log: Log): Caller {
  const once = (request: CallRequest, token: string | undefined, signal: AbortSignal) => {
    const { method, url, content, limit = JSON_BYTES, withinMs = CALL_MS } = request;
    const headers = {
      accept: 'application/json, */*;q=0.5',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(content !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    };
    const body = content && { body: JSON.stringify(content) };
    return http.send({ method, url, limit, withinMs, headers, ...body }, signal);
  };
  const tokenFor = async (audience: Audience, signal: AbortSignal, refused?: string) => {
    try {
      return await tokens.get(audience, signal, refused);
    } catch (err) {
      signal.throwIfAborted();
      log.error(
        { err, audience },
        'Microsoft issued no token; answers wait, and other messages to Teams may be dropped',
      );
      return undefined;
    }
  };
  return async (request, signal) => {
    const service = hosts.serviceOf(request.url);
    if (service === undefined) return { kind: 'unsent', reason: 'foreign-address' };
    if (service === 'files') return once(request, undefined, signal);
    const token = await tokenFor(service, signal);
    if (token === undefined) return { kind: 'unsent', reason: 'no-token' };
    const answer = await once(request, token, signal);
    if (answer.kind !== 'answered' || answer.status !== UNAUTHORIZED) return answer;
    const renewed = await tokenFor(service, signal, token);
    return renewed === undefined || renewed === token ? answer : once(request, renewed, signal);
  };
}
