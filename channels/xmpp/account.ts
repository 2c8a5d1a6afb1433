/** The account with which the bridge logs in. */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { domainOf } from './protocol.ts';
import type { XmppConfig } from './settings.ts';
import type { Account } from './stream/login.ts';

export const accountOf = ({ jid, server, tls, password }: XmppConfig): Account => ({
  ...{ user: jid.replace(/@.*$/s, ''), domain: domainOf(jid), server, tls, password },
  resource: resourceName(),
});

/** Names this process's session. The same host takes the same name, so a restarted bridge replaces its old session. */
const resourceName = (): string =>
  `parley-${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}`;
