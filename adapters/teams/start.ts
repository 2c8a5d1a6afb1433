/** Puts the adapter together: where events come from, what becomes of them, and what is asked of Teams for them. */

import { type Background, createBackground } from '../../src/kit/background.ts';
import { createEngagement } from '../../src/kit/engagement.ts';
import { createOnce } from '../../src/kit/once.ts';
import { createStreaming } from '../../src/kit/streaming.ts';
import type { AdapterHost, Lookup, Message } from '../../src/kit.ts';
import { createCaller } from './api/caller.ts';
import { type Connector, createConnector } from './api/connector.ts';
import { createGraph } from './api/graph.ts';
import { createHosts, type Hosts } from './api/hosts.ts';
import { createHttp } from './api/http.ts';
import type { TeamsConfig } from './config.ts';
import { dispatch, type Surfaces } from './receive/dispatch.ts';
import { createHttpReceiver } from './receive/http.ts';
import { createPlaces, type Places } from './receive/places.ts';
import { createProving } from './sdk.ts';
import { createTokens } from './sign-in/tokens.ts';
import type { TalkParts } from './talk/intake.ts';
import { createLookup } from './talk/lookup.ts';
import { createNotes, type Notes } from './talk/notes.ts';
import { createPeople, type People } from './talk/people.ts';
import type { WriterParts } from './write/index.ts';

/** Where Azure's settings of the bot send everything: the messaging endpoint. */
const PATH = '/api/messages';

export interface Running {
  readonly connector: Connector;
  readonly hosts: Hosts;
  readonly places: Places;
  readonly people: People;
  readonly lookup: Lookup;
  readonly writing: WriterParts;
  stop(): Promise<void>;
}

export function startTeams(config: TeamsConfig, host: AdapterHost): Running {
  const { clock, log, state } = host;
  const ended = new AbortController();
  const { signal } = ended;
  const http = createHttp();
  const hosts = createHosts(config.services);
  const tokens = createTokens({ config, http, clock });
  const caller = createCaller({ http, hosts, tokens, log });
  const connector = createConnector({ caller, clock });
  const background = createBackground(log);
  const places = createPlaces({ state, hosts, clock });
  const people = createPeople({ connector, clock, signal });
  const notes = createNotes({ connector, places, clock, targeted: config.targeted, signal });
  const parts = {
    ...{ host, places, background },
    talk: talkParts(config, { host, notes, background }),
    greeting: { config, host, connector, signal },
    surfaces: noSurfaces,
  };
  const receive = createHttpReceiver({
    ...{ config, hosts, clock, log },
    proving: createProving(config),
    handle: (event) => dispatch(event, parts),
    stopping: () => signal.aborted || host.closing(),
  });
  host.mount(PATH, receive);
  const reading = config.allMessages && { graph: createGraph({ caller, connector, hosts, clock }) };
  return {
    ...{ connector, hosts, places, people },
    lookup: createLookup({ places, people, log, appId: config.appId, ...reading }),
    writing: {
      ...writerParts(config, { host, background }),
      ...{ connector, places },
      ...reading,
    },
    async stop() {
      ended.abort();
      await background.settle();
      await http.close();
    },
  };
}

interface Talking {
  readonly host: AdapterHost;
  readonly notes: Notes;
  readonly background: Background;
}

const refusalKey = ({ thread, id, revision }: Message): string =>
  JSON.stringify(['refused', thread.tenant, id, revision]);

function talkParts({ tenant, allMessages }: TeamsConfig, { host, notes, background }: Talking): TalkParts {
  const once = createOnce(host.state);
  return {
    ...{ host, once, tenant, allMessages },
    engagement: createEngagement(host.state),
    // Teams sends an event again where its acknowledgement was lost.
    refuse: (message, words) =>
      background.run('a refusal', () => once(refusalKey(message), () => notes.tell(message, words))),
  };
}

function writerParts(
  { appId, streaming, extendedMarkdown, publicUrl }: TeamsConfig,
  { host, background }: Omit<Talking, 'notes'>,
): Omit<WriterParts, 'connector' | 'places' | 'graph'> {
  const { log, clock } = host;
  return {
    ...{ host, log, appId, random: Math.random },
    streaming: createStreaming(streaming, clock),
    format: extendedMarkdown ? 'extendedmarkdown' : 'markdown',
    ...(publicUrl !== undefined && { publicUrl }),
    stopped({ id: turn, message: { thread, sender: by } }) {
      background.run('a stop', () => host.intake({ kind: 'stop', thread, turn, by }));
    },
    isPrivate: () => false,
  };
}

/** Messages of ours carry nothing to press yet. */
const noSurfaces: Surfaces = {
  invoke: async () => undefined,
  react: async () => undefined,
};
