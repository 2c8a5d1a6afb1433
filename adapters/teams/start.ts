/** Assembles the adapter's parts and starts it. */

import { createBackground, createStreaming, openTalk, type RefusedQuestion } from '../../src/kit/ladder.ts';
import {
  type AdapterHost,
  type Clock,
  type Log,
  type Message,
  type Turn,
  withEvents,
} from '../../src/kit.ts';
import { createCaller, type Tokens } from './api/caller.ts';
import { type Connector, createConnector } from './api/connector.ts';
import { createGraph } from './api/graph.ts';
import { createHosts } from './api/hosts.ts';
import { createHttp, type Http } from './api/http.ts';
import { cloudOf, directoryOf } from './clouds.ts';
import type { TeamsConfig } from './config.ts';
import { dispatch } from './dispatch.ts';
import { permitToAsk } from './inbound/intake.ts';
import { createLookup } from './inbound/lookup.ts';
import { createPeople } from './inbound/people.ts';
import { createPosts, noteSender, sendLater } from './inbound/posts.ts';
import { createWaiting } from './inbound/waiting.ts';
import { words } from './inbound/words.ts';
import { postingActs } from './interactions/acts.ts';
import { createInteractions } from './interactions/interactions.ts';
import { createReplies } from './interactions/replies.ts';
import { createHttpReceiver } from './receive/http.ts';
import { createKeys, ENDORSEMENT } from './receive/keys.ts';
import { createPlaces, type Places } from './receive/places.ts';
import type { ProvingDeps } from './receive/proof.ts';
import { waitingNote } from './render/forms.ts';
import { createTokens } from './sign-in/tokens.ts';
import { createPages, PAGES } from './single-sign-on/pages.ts';
import { createSignOn, type SignOn } from './single-sign-on/sign-on.ts';
import { createStreamCalls, createStreamedTexts } from './write/deps.ts';
import { createWriter, type WriterDeps } from './write/index.ts';

/** The bot's messaging endpoint, to which Teams sends all events. */
const PATH = '/api/messages';

/** HTTP statuses from this number on are errors of the server. */
const SERVER_ERROR = 500;

export type Running = Awaited<ReturnType<typeof startTeams>>;

/** @param watch returns a connector that also observes each call */
export async function startTeams(
  config: TeamsConfig,
  host: AdapterHost,
  watch = (connector: Connector): Connector => connector,
) {
  const { clock, log, state } = host;
  const { appId, name, tenant } = config;
  const ended = new AbortController();
  const { signal } = ended;
  const base = openBase(config, host, watch, signal);
  const { background, http, hosts, tokens, connector, graph, places, people, posts, sendNote } = base;
  const cardNote = waitingNote;
  const waiting = await createWaiting({ posts, places, host, background, cardNote, graph, appId, signal });
  const replies = createReplies(state, background);
  const writing = writerDeps(config, host, base, waiting.removeLater);
  const acts = postingActs({ host, places, posts, background });
  const tell = async (about: RefusedQuestion, sentence: string) => void (await sendNote(about, sentence));
  const talk = await openTalk({ host, background, signal, tell, names: [name] });
  const signOn = openSignOn(config, host, base);
  const interactions = createInteractions({
    config,
    host,
    connector,
    places,
    people,
    posts,
    sendNote,
    background,
    once: talk.once,
    replies,
    renderInputs: writing,
    signal,
  });
  const dispatching = { config, host, places, posts, talk, interactions, signOn, background };
  const receive = createHttpReceiver({
    hosts,
    clock,
    log,
    tenant,
    proving: provingOf(config, http, clock, signal),
    handle: (event) => dispatch(event, dispatching),
    stopping: () => signal.aborted || host.closing(),
  });
  host.mount(PATH, receive);
  background.run('the first sign-in', () => signIn(tokens, log, signal));
  return {
    connector,
    hosts,
    waiting,
    signOn,
    answers: (message: Pick<Message, 'thread' | 'sender'>) => answers(message, places, connector, signal),
    lookup: createLookup({ host, places, people, appId, graph }),
    writer: (turn: Turn) => withEvents(turn, createWriter(turn, writing), [acts, replies], clock),
    async stop() {
      ended.abort();
      await background.settle();
      await http.close();
    },
  };
}

type Base = ReturnType<typeof openBase>;

/** Opens the calls of Teams, and what is known about its conversations and people. */
function openBase(
  config: TeamsConfig,
  host: AdapterHost,
  watch: (connector: Connector) => Connector,
  signal: AbortSignal,
) {
  const { clock, log, state } = host;
  const http = createHttp();
  const hosts = createHosts(cloudOf(config));
  const tokens = createTokens({ config, http, clock });
  const caller = createCaller(http, hosts, tokens, log);
  const connector = watch(createConnector(caller, clock, permitToAsk(host, config.tenant)));
  const places = createPlaces(state, hosts, clock);
  const posts = createPosts(connector, host, signal);
  return {
    signal,
    background: createBackground(log),
    http,
    hosts,
    tokens,
    connector,
    /** Undefined unless owners may consent to reading messages. */
    graph: config.allMessages ? createGraph(caller, connector, hosts, clock) : undefined,
    places,
    people: createPeople({ connector, clock, signal }),
    posts,
    sendNote: noteSender(posts, places, config.targeted),
  };
}

/** Returns what is needed to verify that a request comes from the Bot Connector. */
function provingOf(config: TeamsConfig, http: Http, clock: Clock, signal: AbortSignal): ProvingDeps {
  const { openId, issuer } = cloudOf(config);
  const metadata = `${openId}/v1/.well-known/openidconfiguration`;
  const keys = createKeys({ http, clock, signal, metadata, endorsement: ENDORSEMENT });
  return { keys, clock, issuer, audience: config.appId };
}

/** Returns undefined if single sign-on is off. */
function openSignOn(
  config: TeamsConfig,
  host: AdapterHost,
  { http, places, posts, background, signal }: Base,
): SignOn | undefined {
  const { singleSignOn: signOn, publicUrl = '' } = config;
  if (signOn === undefined) return undefined;
  const { clock } = host;
  const directory = directoryOf(config);
  const { metadata, issuers } = directory;
  const organization = { tenant: config.tenant, issuers };
  const keys = createKeys({ http, signal, clock, metadata, organization });
  host.mount(PAGES, createPages(signOn, directory.authorize, publicUrl));
  return createSignOn({
    signOn,
    directory,
    keys,
    clock,
    host,
    places,
    posts,
    background,
    publicUrl,
    signal,
  });
}

/** Looks up the asker. Any response except a server error shows that Teams works. */
async function answers(
  { thread, sender }: Pick<Message, 'thread' | 'sender'>,
  places: Places,
  connector: Connector,
  signal: AbortSignal,
): Promise<boolean> {
  const place = await places.find(thread);
  if (place === undefined) return true;
  const got = await connector.member(place, sender.id, signal);
  if (got.kind === 'refused') return got.status < SERVER_ERROR;
  return got.kind === 'got' || (got.kind === 'unknown' && got.reason === 'unreadable');
}

/**
 * Requests a token when the bridge starts, so that a wrong secret is reported early and the first answer does not wait
 * for a token.
 */
async function signIn(tokens: Tokens, log: Log, signal: AbortSignal): Promise<void> {
  try {
    await tokens.get('connector', signal);
  } catch (err) {
    const why = err instanceof Error ? err.message : String(err);
    if (!signal.aborted) log.error({}, `Questions in Teams cannot be answered yet. ${why}`);
  }
}

/**
 * Pauses before the attempts to tell a person that the answer could not be shown, in milliseconds. When the first pause
 * begins, Teams has refused all calls for about a minute.
 */
const UNSHOWN_MS = [30_000, 60_000, 120_000, 240_000];

function writerDeps(
  { appId, streaming, extendedMarkdown }: TeamsConfig,
  host: AdapterHost,
  { connector, places, graph, sendNote, background, signal }: Base,
  removeLater: WriterDeps['removeLater'],
): WriterDeps {
  return {
    connector,
    places,
    host,
    appId,
    graph,
    removeLater,
    random: Math.random,
    streamedTexts: createStreamedTexts(),
    streamCalls: createStreamCalls(),
    streaming: createStreaming(streaming, host.clock),
    format: extendedMarkdown ? 'extendedmarkdown' : 'markdown',
    stopped({ id: turn, message: { thread, sender: by } }) {
      background.run('a stop', () => host.intake({ kind: 'stop', thread, turn, by }));
    },
    unshown(turn) {
      const send = () => sendNote(turn.message, words.unshown);
      background.run('a note', () => sendLater(send, UNSHOWN_MS, host.clock, signal));
    },
  };
}
