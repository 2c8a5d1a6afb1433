/** Decides which addresses may become links, and finds labels that name another address. */

export interface SafeDestination {
  /** The address in its normal form: ASCII host, no hidden characters. */
  readonly href: string;
  /** The actual host, with its port unless that is the default; for a mail address, its domain. */
  readonly host: string;
}

const allowed = /^(?:https?:\/\/|mailto:)/i;
/**
 * Matches control characters, spaces, characters that reverse or hide text, and backslashes, which parsers
 * interpret differently.
 */
const trickery = /[\p{Cc}\p{Cf}\p{Z}\\]/u;

/**
 * Returns an address that may be offered to a person: http, https or mailto, without spaces, controls, backslashes, and
 * without a name and password before the host. Returns undefined for any other address.
 */
export function safeDestination(destination: string): SafeDestination | undefined {
  if (!allowed.test(destination) || trickery.test(destination) || !URL.canParse(destination))
    return undefined;
  const url = new URL(destination);
  if (url.username !== '' || url.password !== '') return undefined;
  const host = url.protocol === 'mailto:' ? mailDomain(url.pathname) : url.host;
  return host === '' ? undefined : { href: url.href, host };
}

function mailDomain(addresses: string): string {
  return /^[^@,]+@([^@,]+)$/.exec(addresses)?.[1]?.toLowerCase() ?? '';
}

/** Words that look like a host: dotted, with a last part of letters. */
const hostLike = /(?:[\p{L}\p{N}_-]+\.)+(?:xn--[a-z0-9-]+|\p{L}{2,})/giu;
/** Endings of file names that are not top-level domains, so that "report.pdf" does not count as a host. */
const fileEndings = /\.(?:csv|docx?|gif|html?|jpe?g|json|log|pdf|png|pptx?|svg|ts|tsx|txt|xlsx?|xml|ya?ml)$/;

/**
 * Returns the label as a person sees it: invisible characters removed, compatibility characters normalized (NFKC),
 * look-alikes of the dot replaced by a dot.
 */
function visible(label: string): string {
  return label
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\u3002\uff0e\uff61]/g, '.')
    .toLowerCase();
}

function asciiHost(host: string): string {
  const bare = host.replace(/^www\./, '');
  return URL.canParse(`https://${bare}`) ? new URL(`https://${bare}`).hostname : bare;
}

/**
 * True if a label shows an address other than the link's, so that the real host must be shown next to it. A
 * label may name the host itself or a parent domain.
 */
export function labelMisleads(label: string, destination: string): boolean {
  const host = safeDestination(destination)?.host.replace(/:\d+$/, '');
  if (host === undefined) return false;
  const claims = [...visible(label).matchAll(hostLike)].map(([claim]) => claim);
  return claims
    .filter((claim) => !fileEndings.test(claim))
    .map(asciiHost)
    .some((claim) => host !== claim && !host.endsWith(`.${claim}`));
}
