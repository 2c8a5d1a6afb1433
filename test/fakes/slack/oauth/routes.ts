/** The consent page. It gives consent immediately and redirects the browser back with a code. */

import type { Route } from '../../listen.ts';
import type { Server } from '../parts.ts';
import { newCode } from './grants.ts';

export interface Consent {
  /** The workspace that installs the app; default: the first. */
  team?: string;
  enterprise?: string;
  /** True if the person presses Cancel; the redirect then has `error=access_denied` and no code. */
  denied?: boolean;
}

export const authorizeRoute =
  ({ world }: Server, consent: Consent): Route =>
  (_request, response, url) => {
    const asked = url.searchParams;
    const redirectUri = asked.get('redirect_uri') ?? undefined;
    if (asked.get('client_id') !== world.app.clientId || redirectUri === undefined)
      return void response.writeHead(400).end('invalid_client_id');
    const back = new URL(redirectUri);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (consent.denied === true) back.searchParams.set('error', 'access_denied');
    else {
      const scopes = (asked.get('scope') ?? '').split(',').filter((scope) => scope !== '');
      const team = consent.team ?? [...world.workspaces.keys()][0] ?? '';
      const place = consent.enterprise === undefined ? { team } : { enterprise: consent.enterprise };
      back.searchParams.set('code', newCode(world, { ...place, scopes, redirectUri }));
    }
    response.writeHead(302, { location: back.href }).end();
  };
