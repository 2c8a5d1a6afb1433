/** Decides which addresses may become links, and detects link labels that show another address. */

export interface SafeDestination {
  /** The address in normal form: ASCII host, no hidden characters. */
  readonly href: string;
  /**
   * The host that the link really opens, with its port unless the port is the default; for a mail address, its domain.
   */
  readonly host: string;
}

const allowed = /^(?:https?:\/\/|mailto:)/i;
/**
 * Matches control characters, spaces, characters that reverse or hide text, and backslashes, which parsers interpret
 * differently.
 */
const trickery = /[\p{Cc}\p{Cf}\p{Z}\\]/u;

/**
 * Returns an address that may be shown as a link: http, https or mailto, without spaces, control characters and
 * backslashes, and without a name and password before the host. Returns undefined for any other address.
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

/**
 * Matches words that look like a host: parts separated by dots, of which the last part consists of letters; an IPv4
 * address; and whatever stands where the host of an address would be.
 */
const hostLike =
  /(?<=https?:\/\/)[^\s/?#:@[\]]+|(?:[\p{L}\p{N}_-]+\.)+(?:xn--[a-z0-9-]+|\p{L}{2,})|(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/giu;
/**
 * Endings of file names that are not top-level domains. Because of this list, "report.pdf" does not count as a host.
 */
const fileEndings = /\.(?:csv|docx?|gif|html?|jpe?g|json|log|pdf|png|pptx?|svg|ts|tsx|txt|xlsx?|xml|ya?ml)$/;

/**
 * Returns the label as a person sees it: without invisible characters, with compatibility characters normalized
 * (NFKC), and with a dot for each character that looks like one.
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
 * True if the label shows an address other than the one that the link opens, so that the real host must be shown next
 * to it. A label may name the host itself or its parent domain.
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
