/** Assembles the adapter's parts and starts it. */

import { createBackground, createStreaming, openTalk, type RefusedQuestion } from '../../src/kit/ladder.ts';
import { type AdapterHost, type Log, type Message, type Turn, withEvents } from '../../src/kit.ts';
import { createCaller, type Tokens } from './api/caller.ts';
import { type Connector, createConnector } from './api/connector.ts';
import { createGraph } from './api/graph.ts';
import { createHosts } from './api/hosts.ts';
import { createHttp } from './api/http.ts';
import { cloudOf, directoryOf } from './clouds.ts';
import type { TeamsConfig } from './config.ts';
import { dispatch } from './inbound/dispatch.ts';
import { permitToAsk } from './inbound/intake.ts';
import { createLookup } from './inbound/lookup.ts';
import { createPeople } from './inbound/people.ts';
import { createPosts, noteSender, type SendNote, sendLater } from './inbound/posts.ts';
import { createWaiting } from './inbound/waiting.ts';
import { words } from './inbound/words.ts';
import { postingActs } from './interactions/acts.ts';
import { createInteractions } from './interactions/interactions.ts';
import { createReplies } from './interactions/replies.ts';
import { createNames, createSharedRooms } from './interactions/shared-rooms.ts';
import { createHttpReceiver } from './receive/http.ts';
import { createKeys, ENDORSEMENT, type KeysDeps } from './receive/keys.ts';
import { createPlaces, type Places } from './receive/places.ts';
import type { ProvingDeps } from './receive/proof.ts';
import { waitingNote } from './render/forms.ts';
import { createTokens } from './sign-in/tokens.ts';
import { createPages, PAGES } from './single-sign-on/pages.ts';
import { createSignOn, type SignOn, type SignOnDeps } from './single-sign-on/sign-on.ts';
import { createStreamCalls, createStreamedTexts } from './write/deps.ts';
import { createWriter, type WriterDeps } from './write/index.ts';

/** The bot's messaging endpoint, to which Teams sends all events. */
const PATH = '/api/messages';

/** HTTP statuses from this number on are errors of the server. */
const SERVER_ERROR = 500;

export type Running = Awaited<ReturnType<typeof startTeams>>;

export async function startTeams(config: TeamsConfig, host: AdapterHost) {
  const { clock, log, state } = host;
  const ended = new AbortController();
  const { signal } = ended;
  const http = createHttp();
  const cloud = cloudOf(config);
  const fetching = { http, clock, signal };
  const hosts = createHosts(cloud);
  const tokens = createTokens({ config, http, clock });
  const caller = createCaller(http, hosts, tokens, log);
  const connector = createConnector(caller, clock, permitToAsk(host, config.tenant));
  const background = createBackground(log);
  const places = createPlaces(state, hosts, clock);
  const people = createPeople({ connector, clock, signal });
  const posts = createPosts(connector, host, signal);
  const sendNote = noteSender(posts, places, config.targeted);
  const replies = createReplies(state, background);
  const reading = config.allMessages && { graph: createGraph(caller, connector, hosts, clock) };
  const own = { posts, places, host, background, signal, appId: config.appId };
  const waiting = await createWaiting({ ...own, ...reading, cardNote: waitingNote });
  const writing: WriterDeps = {
    ...writerParts(config, own, sendNote),
    ...{ connector, places, removeLater: waiting.removeLater },
    ...reading,
  };
  const acts = postingActs({ host, places, posts, background });
  const talk = await talkParts(config, own, sendNote);
  const signOn = openSignOn(config, { ...fetching, host, places, posts, background });
  const parts = {
    ...{ config, host, places, posts, background, talk },
    ...(signOn !== undefined && { signOn }),
    interactions: createInteractions({
      ...{ config, host, connector, places, people, posts, sendNote, background, replies, signal },
      once: talk.once,
      sharedRooms: createSharedRooms(state, places),
      nameOf: createNames(connector, clock, signal),
      renderInputs: writing,
    }),
  };
  const receive = createHttpReceiver({
    ...{ hosts, clock, log, tenant: config.tenant },
    proving: provingOf(config, fetching),
    handle: (event) => dispatch(event, parts),
    stopping: () => signal.aborted || host.closing(),
  });
  host.mount(PATH, receive);
  background.run('the first sign-in', () => signIn(tokens, log, signal));
  return {
    ...{ connector, hosts, waiting, signOn },
    answers: (message: Pick<Message, 'thread' | 'sender'>) => answers(message, places, connector, signal),
    lookup: createLookup({ host, places, people, appId: config.appId, ...reading }),
    writer: (turn: Turn) => withEvents(turn, createWriter(turn, writing), [acts, replies], clock),
    async stop() {
      ended.abort();
      await background.settle();
      await http.close();
    },
  };
}

/** Returns what is needed to verify that a request comes from the Bot Connector. */
function provingOf(config: TeamsConfig, fetching: Pick<KeysDeps, 'http' | 'clock' | 'signal'>): ProvingDeps {
  const { openId, issuer } = cloudOf(config);
  const metadata = `${openId}/v1/.well-known/openidconfiguration`;
  const keys = createKeys({ ...fetching, metadata, endorsement: ENDORSEMENT });
  return { keys, clock: fetching.clock, issuer, audience: config.appId };
}

type SignOnParts = Omit<SignOnDeps, 'signOn' | 'directory' | 'keys' | 'publicUrl'> &
  Pick<KeysDeps, 'http'> & { readonly host: AdapterHost };

/** Returns undefined if single sign-on is off. */
function openSignOn(config: TeamsConfig, parts: SignOnParts): SignOn | undefined {
  const { singleSignOn: signOn, publicUrl = '' } = config;
  if (signOn === undefined) return undefined;
  const { host, http, signal } = parts;
  const directory = directoryOf(config);
  const { metadata, issuers } = directory;
  const organization = { tenant: config.tenant, issuers };
  const keys = createKeys({ http, signal, clock: host.clock, metadata, organization });
  host.mount(PAGES, createPages(signOn, directory.authorize, publicUrl));
  return createSignOn({ ...parts, signOn, directory, keys, publicUrl });
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

type Own = Pick<SignOnParts, 'host' | 'background' | 'signal'>;

async function talkParts({ tenant, name, allMessages, targeted }: TeamsConfig, own: Own, sendNote: SendNote) {
  const tell = async (about: RefusedQuestion, sentence: string) => void (await sendNote(about, sentence));
  return { ...(await openTalk({ ...own, tell, names: [name] })), tenant, allMessages, targeted };
}

/**
 * Pauses before the attempts to tell a person that the answer could not be shown, in milliseconds. When the first pause
 * begins, Teams has refused all calls for about a minute.
 */
const UNSHOWN_MS = [30_000, 60_000, 120_000, 240_000];

function writerParts(
  { appId, streaming, extendedMarkdown }: TeamsConfig,
  { host, background, signal }: Own,
  sendNote: SendNote,
): Omit<WriterDeps, 'connector' | 'places' | 'graph' | 'removeLater'> {
  return {
    ...{ host, appId, random: Math.random },
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
