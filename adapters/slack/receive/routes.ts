/** Slack's addresses on the bridge's server, all under `/slack`. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdapterHost } from '../../../src/kit.ts';
import type { SlackConfig } from '../config.ts';
import type { Dispatcher } from './dispatch.ts';
import { createHttpReceiver } from './http.ts';

export interface RouteParts {
  readonly host: AdapterHost;
  readonly dispatcher: Dispatcher;
  stopping(): boolean;
}

/** Events, commands and interactions may be sent to one address, or each to its own. */
const EVENTS = new Set(['/events', '/commands', '/interactivity']);

/** Without a signing secret nothing is served: everything then comes by Socket Mode. */
export function mountRoutes(
  { signingSecret }: SlackConfig,
  { host, dispatcher, stopping }: RouteParts,
): void {
  if (signingSecret === undefined) return;
  const { clock, log } = host;
  const receive = createHttpReceiver({ secret: signingSecret, dispatcher, clock, log, stopping });
  host.mount('/slack', (request, response) => {
    if (EVENTS.has(pathOf(request))) receive(request, response);
    else nothingHere(response);
  });
}

export function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/, '').replace(/(?<=.)\/+$/, '');
}

function nothingHere(response: ServerResponse): void {
  response.writeHead(404, { 'content-length': 0 }).end();
}
