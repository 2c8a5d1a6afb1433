/** Who may talk to the console at all: by the name it was reached under, and by the page that speaks. Pure. */

import type { IncomingHttpHeaders } from 'node:http';
import { forbidden } from '../refusal.ts';

/**
 * Refuses other names for this machine (DNS rebinding) and requests that another site's page sends (CSRF).
 * @throws HttpRefusal 403
 */
export function checkSource(method: string, headers: IncomingHttpHeaders, allowed: readonly string[]): void {
  const host = hostOf(`http://${headers.host ?? ''}`);
  if (!host || !allowed.some((name) => [host.hostname, host.host].includes(name.toLowerCase()))) {
    throw forbidden('The console is not reached under this name. Its operator can allow it (allowed hosts).');
  }
  const { origin } = headers;
  const foreign = origin !== undefined && hostOf(origin)?.host !== host.host;
  const site = headers['sec-fetch-site'];
  const crossSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign || (crossSite && !isVisit(method, headers))) {
    throw forbidden('The console answers only its own page.');
  }
}

/** Following a link to the page is fine wherever the link stood. */
function isVisit(method: string, headers: IncomingHttpHeaders): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
}

function hostOf(address: string): URL | undefined {
  return URL.parse(address) ?? undefined;
}
