/** Checks the token, the tenant and the rate of a call. */

import type { IncomingMessage } from 'node:http';
import type { Family } from '../limits.ts';
import type { Method } from '../log.ts';
import type { Server } from '../parts.ts';
import { Refusal } from '../refusal.ts';
import type { Tenant } from '../shapes.ts';
import type { Asked } from './asked.ts';

export const CONNECTOR = 'https://api.botframework.com';

const families: Partial<Record<Method, Family>> = {
  send: 'send',
  stream: 'send',
  final: 'send',
  typing: 'send',
  update: 'send',
  delete: 'send',
  create: 'create',
  member: 'members',
  members: 'members',
  team: 'conversations',
  channels: 'conversations',
};

/** Takes a slot of the limits immediately, so that a call counts from its arrival. */
export function admit(server: Server, request: IncomingMessage, asked: Asked): Tenant {
  checkToken(server, request, CONNECTOR);
  const tenant = server.world.tenants.get(asked.tenant);
  // The refusal is the same for an unknown tenant and for one without the app.
  if (tenant === undefined) throw new Refusal(403, 'Forbidden', 'The bot is not allowed in this tenant.');
  checkRate(server, asked);
  return tenant;
}

export function checkToken({ login, world }: Server, request: IncomingMessage, audience: string): void {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const token = login.issued.find(({ value }) => value === bearer);
  const good =
    token !== undefined &&
    !token.revoked &&
    token.audience === audience &&
    token.expiresAt > world.clock.now();
  if (!good) throw new Refusal(401, 'Unauthorized', 'Authorization has been denied for this request.');
}

function checkRate({ limiter }: Server, asked: Asked): void {
  const family = families[asked.method];
  if (family === undefined) return;
  const thread = asked.conversation ?? asked.id ?? JSON.stringify(asked.body.members ?? '');
  const wait = limiter.take({ tenant: asked.tenant, family, thread });
  if (wait > 0) throw tooMany(wait);
}

export const tooMany = (seconds: number | string | undefined): Refusal =>
  new Refusal(
    429,
    'Throttled',
    'API calls quota exceeded',
    seconds === undefined ? {} : { 'retry-after': String(seconds) },
  );
