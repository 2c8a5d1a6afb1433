/** Lists every channel, one per line. The adapters themselves are loaded only when their channel is switched on. */

import type { Channel } from '../src/kit.ts';
import { webConsole } from './console/channel.ts';
import { slack } from './slack/channel.ts';
import { teams } from './teams/channel.ts';

export const channels: readonly Channel[] = [webConsole, slack, teams];

/** Channels that Parley once contained, and that are packages of their own now. */
export const packages = [
  {
    name: 'xmpp',
    title: 'XMPP',
    variables: ['XMPP_JID', 'XMPP_PASSWORD', 'XMPP_SERVER'],
    secret: 'password',
    folder: 'channels/xmpp',
  },
];
