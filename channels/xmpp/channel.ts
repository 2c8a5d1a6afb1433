/** The description of the XMPP channel as Parley loads it. The adapter is loaded only when the channel starts. */

import { defineChannel, withPackages } from 'parley/kit';
import { xmppSettings } from './settings.ts';

const CURE = 'Run npm install in the folder of this channel.';

export const channel = defineChannel({
  api: 1,
  name: 'xmpp',
  title: 'XMPP',
  on: 'when-configured',
  page: 'README.md',
  settings: xmppSettings,
  variables: {
    XMPP_JID: { setting: 'jid', kind: 'text' },
    XMPP_PASSWORD: { setting: 'password', kind: 'secret' },
    XMPP_SERVER: { setting: 'server', kind: 'text' },
  },
  announce: ({ jid, rooms }) =>
    `on as ${jid}, ${rooms.length === 1 ? 'in 1 room' : `in ${rooms.length} rooms`} and in direct messages`,
  checks: async (settings, _shared, clock) =>
    (await withPackages('XMPP', () => import('./doctor.ts'), CURE)).examineXmpp(settings, clock),
  create: async (settings) =>
    (await withPackages('XMPP', () => import('./adapter.ts'), CURE)).createXmpp(settings),
});
