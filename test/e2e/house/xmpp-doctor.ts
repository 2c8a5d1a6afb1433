/** What `parley doctor` finds about the XMPP channel. */

import { channel } from '../../../channels/xmpp/channel.ts';
import { systemClock } from '../../../src/clock.ts';
import { DOMAIN, PASSWORD } from '../../fakes/xmpp/servers.ts';

const shared = {
  ...{
    host: '127.0.0.1',
    trustedProxies: [],
    data: '/nowhere',
    isReplicated: false,
    defaultAgent: 'half',
    byEmail: false,
  },
  project: { folder: '/nowhere', version: '0.0.0' },
};

/** Returns the findings by their names. A finding begins with `good` or `FAULT`. */
export async function examine(over: Readonly<Record<string, unknown>>) {
  const settings = {
    jid: `parley@${DOMAIN}`,
    password: PASSWORD,
    tls: 'none',
    ...over,
  };
  const findings = await channel.schema({}).parse(settings).checks(shared, systemClock);
  return Object.fromEntries(
    findings.map(({ what, ok, detail }) => [what, `${ok ? 'good' : 'FAULT'}: ${detail}`]),
  );
}
