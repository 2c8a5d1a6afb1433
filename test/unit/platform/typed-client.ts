/** The typed client with every kind of credential. Each test sets the responses of its server. */

import { afterEach, beforeEach } from 'vitest';
import type { PlatformClient } from '../../../src/platform/api.ts';
import { Secret } from '../../../src/secret.ts';
import {
  type Client,
  clientOf,
  givesTokens,
  type HostilePlatform,
  LITE_TOKEN,
  sendJson,
  startHostilePlatform,
  TOKEN,
} from '../../fakes/hostile-platform.ts';

export const credentials = {
  apiKey: new Secret('api-key-0123456789'),
  adminToken: new Secret('admin-token-0123456789'),
  open: { kind: 'client-account', client: 'c', secret: new Secret('open-secret-0123456789'), account: 'a' },
  lite: { kind: 'client-token', clientId: 'l', secret: new Secret('lite-secret-0123456789'), username: 'u' },
} as const;

/** Returns the JSON of a successful response of the Open API. */
export const open = (data: unknown, more: object = {}) => ({ success: true, msg: '', data, ...more });

export interface Rig {
  server: HostilePlatform;
  owner: Client;
  client: PlatformClient;
  /** Returns another client of the same server, which is closed after the test. */
  other(options: Parameters<typeof clientOf>[1]): Client & { readonly client: PlatformClient };
}

/** Starts a server and a client for each test. */
export function eachWithRig(): Rig {
  const rig = {} as Rig;
  const others: Client[] = [];
  beforeEach(async () => {
    rig.server = await startHostilePlatform();
    rig.server.on(TOKEN, givesTokens);
    rig.server.on(LITE_TOKEN, (_request, response) =>
      sendJson(response, {
        code: 200,
        data: { access_token: 'lite-token', expires_in: 7200, token_type: 'bearer' },
      }),
    );
    rig.owner = clientOf(rig.server.url);
    rig.client = rig.owner.platform.client(credentials);
    rig.other = (options) => {
      const other = clientOf(rig.server.url, options);
      others.push(other);
      return { ...other, client: other.platform.client(credentials) };
    };
  });
  afterEach(async () => {
    for (const each of [rig.owner, ...others.splice(0)]) await each.platform.close();
    await rig.server.close();
  });
  return rig;
}
