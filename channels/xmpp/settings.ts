/** XMPP's settings in the configuration. */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { type Environment, enabledSetting, secretSetting, z } from 'parley/kit';
import type { Account } from './stream/login.ts';

/** A bare address without resource, such as `parley@example.org` (RFC 7622). */
const ADDRESS = /^[^\s"&'/:<>@]{1,1023}@[^\s"&'/:<>@]{1,1023}$/;
const bareAddress = z.string().regex(ADDRESS, 'must be an address such as parley@example.org').toLowerCase();
const text = z.string().min(1);
/** Default number of messages and corrections a second; at 1 KB each, half of what prosody lets a client send. */
const MESSAGES_A_SECOND = 5;

export const xmppSettings = (environment: Environment) =>
  z
    .strictObject({
      enabled: enabledSetting('XMPP'),
      jid: bareAddress.describe('Address of the account that the bridge uses, such as parley@example.org'),
      password: secretSetting(environment, 'Password of the account'),
      server: text
        .optional()
        .describe(
          'Address of the server, as host or host:port; if absent, the bridge looks the server up in DNS',
        ),
      tls: z
        .enum(['starttls', 'direct', 'none'])
        .default('starttls')
        .describe(
          'How the connection is encrypted. starttls: STARTTLS is required; direct: TLS from the start (port 5223); none: not at all, only for a server on this machine',
        ),
      nick: text.max(64).default('Parley').describe('Nickname in rooms, by which people mention the bridge'),
      rooms: z.array(bareAddress).default([]).describe('Addresses of the rooms that the bridge joins'),
      members: z
        .array(z.string().min(1).toLowerCase())
        .optional()
        .describe(
          "Domains whose people are members; people of other domains are external. If absent, the account's own domain",
        ),
      emails: z.boolean().default(false).describe("Whether a person's address is also their e-mail address"),
      corrections: z
        .boolean()
        .default(true)
        .describe(
          'Whether an answer grows in its message by corrections (XEP-0308). If false, answers are posted once, when they are complete',
        ),
      messagesPerSecond: z
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(MESSAGES_A_SECOND)
        .describe(
          'Maximum number of messages and corrections in a second. Raise this number if the server does not limit the account',
        ),
    })
    .describe('XMPP');

export type XmppConfig = z.output<ReturnType<typeof xmppSettings>>;

/**
 * Returns the account with which the bridge logs in. Its resource names this process's session. The same host takes the
 * same name, so a restarted bridge replaces its old session.
 */
export function accountOf({ jid, server, tls, password }: XmppConfig): Account {
  const [user = '', domain = ''] = jid.split('@');
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  return { user, domain, server, tls, password, resource: `parley-${host}` };
}
