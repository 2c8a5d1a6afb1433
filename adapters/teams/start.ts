/** Puts the adapter together: where events come from, what becomes of them, and what is asked of Teams for them. */

import { createBackground } from '../../src/kit/background.ts';
import { createEngagement } from '../../src/kit/engagement.ts';
import { createOnce } from '../../src/kit/once.ts';
import type { AdapterHost } from '../../src/kit.ts';
import { createCaller } from './api/caller.ts';
import { type Connector, createConnector } from './api/connector.ts';
import { createHosts, type Hosts } from './api/hosts.ts';
import { createHttp } from './api/http.ts';
import type { TeamsConfig } from './config.ts';
import type { TeamsEvent } from './receive/activity.ts';
import { type Answer, createHttpReceiver } from './receive/http.ts';
import { createPlaces, type Places } from './receive/places.ts';
import { createProving } from './sdk.ts';
import { createTokens } from './sign-in/tokens.ts';
import { type TalkParts, takeIn } from './talk/intake.ts';

export interface Running {
  readonly connector: Connector;
  readonly hosts: Hosts;
  readonly places: Places;
  stop(): Promise<void>;
}

export function startTeams(config: TeamsConfig, host: AdapterHost): Running {
  const { clock, log, state } = host;
  const ended = new AbortController();
  const http = createHttp();
  const hosts = createHosts(config.services);
  const tokens = createTokens({ config, http, clock });
  const connector = createConnector({ caller: createCaller({ http, hosts, tokens, log }), clock });
  const background = createBackground(log);
  const places = createPlaces({ state, hosts, clock });
  const talk: TalkParts = {
    host,
    engagement: createEngagement(state),
    once: createOnce(state),
    tenant: config.tenant,
    allMessages: config.allMessages,
    refuse: () => undefined,
  };
  const handle = async (event: TeamsEvent): Promise<Answer | undefined> => {
    if (event.kind === 'invoked') return { status: 501 };
    if (event.kind === 'said' || event.kind === 'edited') await places.remember(event.message.place);
    if (event.kind === 'said' || event.kind === 'edited' || event.kind === 'deleted')
      await takeIn(event, talk);
    return undefined;
  };
  const stopping = () => ended.signal.aborted || host.closing();
  const receive = createHttpReceiver({
    ...{ config, hosts, clock, log, handle, stopping },
    proving: createProving(config),
  });
  host.mount('/api/messages', receive);
  return {
    connector,
    hosts,
    places,
    async stop() {
      ended.abort();
      await background.settle();
      await http.close();
    },
  };
}
