/**
 * Looks up what the event of a question does not contain: the author's standing, and the messages before the question.
 */

import {
  completeSender,
  type Lookup,
  plains,
  questionsIn,
  type Replayed,
  timeLimit,
} from '../../../src/kit/ladder.ts';
import {
  type AdapterHost,
  BridgeError,
  type Message,
  type Person,
  type Quote,
  type ThreadRef,
} from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import type { Graph, GraphMessage } from '../api/graph.ts';
import { activityOf } from '../ids.ts';
import { isCopilot } from '../private.ts';
import { headlineOf, quotesOf, readWhole, withHeadline } from '../receive/content.ts';
import { plainOf } from '../receive/html.ts';
import type { Places } from '../receive/places.ts';
import type { People } from './people.ts';

/** Maximum time to read the messages before a question, in milliseconds. */
const CONTEXT_MS = 3_000;

interface LookupDeps {
  readonly places: Pick<Places, 'find'>;
  readonly people: People;
  /** Id of the app in Microsoft Entra. */
  readonly appId: string;
  /** Set if owners may consent to reading messages. */
  readonly graph: Graph | undefined;
  readonly host: Pick<AdapterHost, 'mentionRule' | 'log'>;
}

export function createLookup(deps: LookupDeps): Omit<Required<Lookup>, 'history'> {
  const look = async ({ thread }: Message, signal: AbortSignal): Promise<Looking> => {
    const place = await deps.places.find(thread);
    if (place !== undefined) return { place, deps, signal };
    throw new BridgeError('channel-unavailable', `The app is no longer in the room ${thread.room}.`);
  };
  return {
    sender: async (message, signal) => findSender(message, await look(message, signal)),
    async complete(message, signal) {
      const looking = await look(message, signal);
      const [sender, before, headline] = await Promise.all([
        findSender(message, looking),
        readUnseen(message, looking),
        readHeadline(message, looking),
      ]);
      return {
        ...message,
        sender,
        text: withHeadline(message.text, headline),
        quoted: [...before, ...message.quoted],
      };
    },
  };
}

interface Looking {
  readonly place: TeamsPlace;
  readonly deps: LookupDeps;
  readonly signal: AbortSignal;
}

/** Looks up the sender in Teams, unless the sender is a bot, because no list of members contains bots. */
async function findSender({ sender }: Message, { place, deps, signal }: Looking): Promise<Person> {
  if (sender.standing === 'bot') return sender;
  return completeSender('Teams', sender, () => deps.people.find(place, sender, signal), signal);
}

/**
 * Returns the thread's messages that the agent has not seen. Returns none if reading fails. Returns none in a
 * one-to-one chat either, because there every message goes to the agent.
 */
async function readUnseen(message: Message, looking: Looking): Promise<readonly Quote[]> {
  const { id, thread } = message;
  const { deps, signal } = looking;
  const { graph } = deps;
  const isStart = thread.key === activityOf(id);
  if (graph === undefined || isStart || thread.kind === 'direct' || isCopilot(thread)) return [];
  const within = AbortSignal.any([signal, timeLimit(CONTEXT_MS)]);
  const earlier = await readBefore(message, graph, { ...looking, signal: within }).catch((err: unknown) => {
    signal.throwIfAborted();
    deps.host.log.warn({ err, tenant: thread.tenant }, 'the context of a thread could not be read');
    return [];
  });
  return unseen(earlier, message, deps);
}

/** Reads the subject and the importance of a post that starts a thread. Teams does not send them to bots. */
async function readHeadline({ id, thread }: Message, { place, deps, signal }: Looking): Promise<string> {
  const { graph } = deps;
  if (graph === undefined || thread.kind !== 'room' || thread.key !== activityOf(id)) return '';
  const within = AbortSignal.any([signal, timeLimit(CONTEXT_MS)]);
  const root = await graph.root(place, within).catch(() => undefined);
  signal.throwIfAborted();
  return root?.kind === 'got' ? headlineOf(root.value.source) : '';
}

/** Returns the messages before the question. A message's id is its time, so earlier messages have smaller ids. */
async function readBefore(
  { id, thread, quoted }: Message,
  graph: Graph,
  { place, deps, signal }: Looking,
): Promise<readonly GraphMessage[]> {
  const [replies, root] = await Promise.all([
    graph.messages(place, signal),
    thread.kind === 'room' ? graph.root(place, signal) : undefined,
  ]);
  if (replies.kind !== 'got') {
    // Microsoft refuses the call if the owners of this conversation did not consent.
    const code = replies.kind === 'refused' ? `${replies.status} ${replies.code}` : replies.reason;
    deps.host.log.debug(
      { tenant: thread.tenant, code, quotes: quoted.length },
      'reading a thread is not allowed',
    );
    return [];
  }
  const before = Number(activityOf(id));
  const all = [...(root?.kind === 'got' ? [root.value] : []), ...replies.value];
  return all.filter((each) => Number(each.id) < before);
}

/** Maximum quotes of a question. */
const MAX_QUOTES = 20;
/** Maximum UTF-16 units of a quote. */
const QUOTE_CHARS = 4_000;

/** Returns the thread's messages after its last question or answer, oldest first. */
function unseen(
  messages: readonly GraphMessage[],
  { thread }: Message,
  { appId, host }: Pick<LookupDeps, 'appId' | 'host'>,
): readonly Quote[] {
  // An id is the time at which the message was written, and no two are equal.
  const ordered = messages.toSorted((one, other) => Number(one.id) - Number(other.id));
  const questions = questionsIn(
    ordered.map((message) => replayed(message, thread, appId)),
    host.mentionRule(thread),
  );
  const last = ordered.findLastIndex(({ app }, at) => app === appId || questions[at]);
  return ordered
    .slice(last + 1)
    .flatMap(quotesIn)
    .slice(-MAX_QUOTES);
}

function replayed(message: GraphMessage, thread: ThreadRef, appId: string): Replayed {
  const { app, author: by = '', body, mentions } = message;
  const at = Number(message.id);
  if (app === appId) return { kind: 'answer' };
  if (mentions.includes(appId)) return { kind: 'question', by, at };
  const other = BEGINS_WITH_NAME.test(body) ? 'first' : /<at\b/.test(body) ? 'later' : undefined;
  const heard = { thread, by, at, text: plainOf(body), hasMore: false, other } as const;
  const place = thread.kind === 'group' ? 'chat' : 'thread';
  return { kind: 'heard', ...heard, place: app === undefined ? place : 'start' };
}

/** Returns the words of a message, and before them the quotes and cards in it. */
function quotesIn({ author = 'somebody', body, source }: GraphMessage): readonly Quote[] {
  const content = readWhole(body, plains(source.attachments));
  const text = withHeadline(content.text, headlineOf(source));
  return quotesOf(author, { ...content, text }).map(({ author: by, text: said }) => ({
    author: by,
    text:
      said.length <= QUOTE_CHARS ? said : `${said.slice(0, QUOTE_CHARS).replace(/[\ud800-\udbff]$/, '')} […]`,
    kind: 'earlier',
  }));
}

/** Matches HTML that begins with a mention. Such a message is for the mentioned person. */
const BEGINS_WITH_NAME = /^\s{0,20}(?:<(?:p|div)>\s{0,20}){0,5}<at\b/;
