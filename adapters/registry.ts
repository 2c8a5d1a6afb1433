/** Lists every channel, one per line. The adapters themselves are loaded only when their channel is switched on. */

import { xmpp } from '../channels/xmpp/channel.ts';
import type { Channel } from '../src/kit.ts';
import { webConsole } from './console/channel.ts';
import { slack } from './slack/channel.ts';
import { teams } from './teams/channel.ts';

export const channels: readonly Channel[] = [webConsole, slack, teams, xmpp];
