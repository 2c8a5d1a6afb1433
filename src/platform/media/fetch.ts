import { BridgeError } from '../../errors.ts';
import { resolveAddress } from '../base-url.ts';
import { failed } from '../exchange.ts';
import { isOpenHost } from '../foreign.ts';
import { MAX_REDIRECTS } from '../limits.ts';
import { temporaryFile } from '../operations/media.ts';
import type { WireAnswer } from '../transport.ts';
import type { Wiring } from '../wiring.ts';

interface Fetching {
  readonly url: URL;
  /**
   * Headers that are sent to the platform's own origin only. They are not sent again once a redirect has left that
   * origin.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Fetches an image or file. Follows at most three redirects and checks each one. Sends credentials to the platform's
 * own origin only. Requires https for other origins and refuses private networks (platform contract MED-3, attacks S05
 * to S07).
 */
export async function fetchMedia(wiring: Wiring, { url, headers, signal }: Fetching): Promise<WireAnswer> {
  let target = url;
  let own = true;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    own &&= target.origin === wiring.base.origin;
    const answer = await step(wiring, { url: target, headers: own ? headers : {}, signal });
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (answer.status < 300 || answer.status >= 400) throw await failed(wiring, answer, headers);
    answer.discard();
    target = next(target, answer.headers.location);
  }
  throw unavailable('redirects more than three times');
}

function step(wiring: Wiring, { url, headers, signal }: Fetching): Promise<WireAnswer> {
  const own = url.origin === wiring.base.origin;
  if (!own && url.protocol !== 'https:') throw unavailable('is on another origin without https');
  if (!own && !isOpenHost(url.hostname)) throw unavailable('leads to a private network');
  return wiring.transport.send({
    operation: temporaryFile.id,
    method: 'GET',
    url: url.href,
    headers: { accept: 'image/*, */*;q=0.5', ...headers },
    firstByteMs: wiring.timeouts.callMs,
    signal,
    ...(own ? {} : { guarded: true }),
  });
}

function next(from: URL, location: string | undefined): URL {
  const url = location === undefined ? null : URL.parse(location, from.href);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw unavailable('redirects to something other than a web address');
  return url;
}

const TEMPORARY = /\/webapi\/knowledge\/v1\/file\/ekb-temporary-file\/([^/?#]+)(\?[^#]*)?$/;

/**
 * Returns the address of the content behind a temporary link. A link with the documented path is always requested from
 * the configured base address, because the platform may write a public address into the link (platform contract MED-3).
 */
export function addressOf(wiring: Wiring, link: string): URL {
  const [, signed, query = ''] = TEMPORARY.exec(link) ?? [];
  const path = wiring.paths[temporaryFile.id] ?? temporaryFile.path;
  const written =
    signed === undefined ? link : wiring.base.address + path.replace(/\{\w+\}/, () => signed) + query;
  const url = resolveAddress(wiring.base, written);
  if (url === undefined) throw unavailable('has no usable address');
  return url;
}

export function unavailable(fault: string, cause?: unknown): BridgeError {
  return new BridgeError('media-unavailable', `The image ${fault}.`, cause === undefined ? {} : { cause });
}
