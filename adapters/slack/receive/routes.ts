/** Slack's addresses on the bridge's server, all under `/slack`. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdapterHost, HttpHandler } from '../../../src/kit.ts';
import type { SlackConfig } from '../config.ts';
import type { Dispatcher } from './dispatch.ts';
import { createHttpReceiver } from './http.ts';
import type { OAuth } from './oauth.ts';

export interface RouteDeps {
  readonly host: AdapterHost;
  readonly dispatcher: Dispatcher;
  readonly oauth?: OAuth | undefined;
  stopping(): boolean;
}

/** Events, commands and interactions may be sent to one address, or each to its own. */
const EVENTS = ['/events', '/commands', '/interactivity'];

/** Without a signing secret no events are taken here: then they come by Socket Mode. */
export function mountRoutes({ signingSecret: secret }: SlackConfig, deps: RouteDeps): void {
  const { host, dispatcher, oauth, stopping } = deps;
  const { clock, log } = host;
  const routes = new Map<string, HttpHandler>();
  if (secret !== undefined) {
    const receive = createHttpReceiver({ secret, dispatcher, clock, log, stopping });
    for (const path of EVENTS) routes.set(path, receive);
  }
  if (oauth !== undefined) {
    routes.set('/install', browsing(oauth.install, log));
    routes.set('/oauth_redirect', browsing(oauth.callback, log));
  }
  if (routes.size === 0) return;
  host.mount('/slack', (request, response) => {
    const route = routes.get(pathOf(request));
    if (route === undefined) empty(response, 404);
    else route(request, response);
  });
}

/** A page for a browser. */
function browsing(serve: OAuth['install'], log: AdapterHost['log']): HttpHandler {
  return (request, response) => {
    if (request.method !== 'GET') return empty(response, 405);
    void serve(request, response).catch((err: unknown) => {
      log.warn({ err }, 'a page of the installation in Slack could not be served');
      if (!response.headersSent) empty(response, 500);
    });
  };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/, '').replace(/(?<=.)\/+$/, '');
}

function empty(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0 }).end();
}
