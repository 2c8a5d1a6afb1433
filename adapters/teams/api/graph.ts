/**
 * Reads a conversation's messages from Microsoft Graph if the conversation's owners consented (resource-specific
 * consent `ChannelMessage.Read.Group`, `ChatMessage.Read.Chat`; Graph reference, "List replies", "List messages in a
 * chat"). For one-to-one chats, Graph has no such consent.
 */

import { LRUCache } from 'lru-cache';
import { type Plain, plain, plains, text } from '../../../src/kit/ladder.ts';
import { type Clock, defined } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { readConversation } from '../ids.ts';
import type { Caller } from './caller.ts';
import { type Connector, type Got, gotOf, mapGot } from './connector.ts';
import { contentOf } from './errors.ts';
import type { Hosts } from './hosts.ts';

export type Graph = ReturnType<typeof createGraph>;
export type GraphMessage = NonNullable<ReturnType<typeof messageOf>>;

/** Messages per request; Graph allows no more on one page. */
const PAGE = 50;
/** Maximum number of teams whose group ids are cached. */
const TEAMS = 1_000;

export function createGraph(
  caller: Caller,
  connector: Pick<Connector, 'teamGroup'>,
  hosts: Hosts,
  clock: Clock,
) {
  const groups = new LRUCache<string, string>({ max: TEAMS });
  const groupOf = async ({ serviceUrl, team }: TeamsPlace, signal: AbortSignal): Promise<Got<string>> => {
    if (team === undefined) return { kind: 'unknown', reason: 'no-team' };
    const known = groups.get(team);
    if (known !== undefined) return { kind: 'got', value: known };
    const got = await connector.teamGroup(serviceUrl, team, signal);
    if (got.kind === 'got') groups.set(team, got.value);
    return got;
  };
  const pathOf = async (place: TeamsPlace, signal: AbortSignal): Promise<Got<string>> => {
    const { room, root } = readConversation(place.conversation);
    const [at, to] = [encodeURIComponent(room), encodeURIComponent(root ?? '')];
    if (place.kind !== 'room') return { kind: 'got', value: `/chats/${at}/messages` };
    const group = await groupOf(place, signal);
    return mapGot(group, (id) => `/teams/${encodeURIComponent(id)}/channels/${at}/messages/${to}`);
  };
  const read = async (place: TeamsPlace, below: string, signal: AbortSignal): Promise<Got<Plain>> => {
    const path = await pathOf(place, signal);
    if (path.kind !== 'got') return path;
    const url = `${hosts.graph}/v1.0${path.value}${below}`;
    return mapGot(gotOf(await caller({ method: 'GET', url }, signal), clock.now()), contentOf);
  };
  return {
    /** Reads the newest messages of a thread or chat, without deleted ones. */
    async messages(place: TeamsPlace, signal: AbortSignal): Promise<Got<readonly GraphMessage[]>> {
      const list = place.kind === 'room' ? '/replies' : '';
      const got = await read(place, `${list}?$top=${PAGE}`, signal);
      return mapGot(got, ({ value }) => plains(value).flatMap((each) => messageOf(each) ?? []));
    },
    /** Reads the first message of a channel's thread, which `messages` does not include. */
    root: async (place: TeamsPlace, signal: AbortSignal): Promise<Got<GraphMessage>> =>
      mapGot(await read(place, '', signal), messageOf),
  };
}

function messageOf(message: Plain) {
  const id = text(message.id);
  if (id === undefined || text(message.deletedDateTime) !== undefined) return undefined;
  const createdAt = Date.parse(text(message.createdDateTime) ?? '');
  const [application, user] = [plain(plain(message.from).application), plain(plain(message.from).user)];
  return {
    id,
    /** When the message was written, in milliseconds since the epoch. */
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
    ...defined({
      /** Id in Microsoft Entra of the app that wrote the message; absent if a person wrote it. */
      app: text(application.id),
      /** Name of the person or app that wrote the message. */
      author: text(user.displayName) ?? text(application.displayName),
    }),
    /** Ids of the apps that the message mentions. */
    mentions: plains(message.mentions).flatMap(
      ({ mentioned }) => text(plain(plain(mentioned).application).id) ?? [],
    ),
    /** Text of the message, as HTML. */
    body: text(plain(message.body).content) ?? '',
    /** The message as Microsoft Graph sends it. */
    source: message,
    /** Content of the message's cards, as JSON. */
    cards: plains(message.attachments).flatMap(({ content }) => text(content) ?? []),
  };
}
