/** A reply on the fake Teams: its turn, its writer, and its visible messages. */

import { expect } from 'vitest';
import type { ReplyPlace } from '../../../../adapters/teams/activity.ts';
import { createCaller } from '../../../../adapters/teams/api/caller.ts';
import { createConnector } from '../../../../adapters/teams/api/connector.ts';
import { createGraph } from '../../../../adapters/teams/api/graph.ts';
import { createHosts } from '../../../../adapters/teams/api/hosts.ts';
import { createHttp } from '../../../../adapters/teams/api/http.ts';
import { cloudOf } from '../../../../adapters/teams/clouds.ts';
import type { TextFormat } from '../../../../adapters/teams/render/emit.ts';
import { createTokens } from '../../../../adapters/teams/sign-in/tokens.ts';
import { createStreamCalls, createStreamedTexts } from '../../../../adapters/teams/write/deps.ts';
import { createWriter, type WriterDeps } from '../../../../adapters/teams/write/index.ts';
import { fragmentLink } from '../../../../src/kit/fragment-link.ts';
import type { Screen, TurnId } from '../../../../src/kit/ladder.ts';
import { createStreaming } from '../../../../src/kit/streaming.ts';
import { BridgeError, type ReplyWriter, type ThreadRef, type Turn, turnId } from '../../../../src/kit.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { PNG } from '../../../fakes/pixel.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { agentCards, message as messageWith, turn as turnWith } from '../../../fakes/samples.ts';
import {
  type FakeTeams,
  type FakeTeamsOptions,
  type Message,
  startFakeTeams,
} from '../../../fakes/teams/index.ts';
import { appPackage } from '../../../fakes/teams-app.ts';

export type Kind = ThreadRef['kind'];

export interface Rig {
  readonly fake: FakeTeams;
  /** True while the store refuses to return the screens. */
  storeFails: boolean;
  /** The texts of open streams, which a killed process loses. */
  readonly streamedTexts: WriterDeps['streamedTexts'];
  /** The stored screens, by turn. */
  readonly screens: Map<TurnId, Screen>;
  /** Asks a new question, in a new chat or thread. */
  ask(kind: Kind, options?: { readonly attempt?: number }): Turn;
  /** Creates a writer. With `reads`, the owners have consented to the app reading all messages. */
  writer(turn: Turn, ways?: Ways): ReplyWriter;
  /** The app's messages in the turn's thread, oldest first, without deleted ones. */
  messages(turn: Turn): readonly Message[];
  /** The texts of the messages, without the texts of cards. */
  texts(turn: Turn): readonly string[];
  /** The contents of cards, in separate messages or together with a text. */
  cards(turn: Turn): readonly string[];
  /** Advances the clock of the fake Teams. */
  /** Posts another message of the app in the turn's thread. */
  post(turn: Turn, activity: object): Promise<unknown>;
  pass(ms: number): void;
  readonly now: () => number;
  /** Ids of turns whose stream a person stopped. */
  readonly stops: string[];
  readonly forgotten: string[];
  /** Ids of turns whose answer Teams refused too often. */
  readonly unshown: string[];
  /** Ids of the messages that are to be deleted later, because Teams refused to delete them. */
  readonly later: string[];
  /** `others` is true if other people's platform rights may differ from the rights with which the answer was made. */
  readonly rights: { others: boolean };
  close(): Promise<void>;
}

export interface Ways {
  readonly streams?: boolean;
  readonly reads?: boolean;
  readonly format?: TextFormat;
}

export async function openRig(options: FakeTeamsOptions = {}): Promise<Rig> {
  let time = Date.UTC(2026, 10, 1);
  const clock = {
    now: () => time,
    wait: async (ms: number) => {
      time += ms;
    },
  };
  const fake = await startFakeTeams({ clock, limits: { off: true }, textBesideCards: 'split', ...options });
  fake.upload(appPackage(fake.app.id, { allMessages: true }));
  const tenant = fake.tenant();
  const team = tenant.team({ consents: ['ChannelMessage.Read.Group'] });
  const http = createHttp();
  const hosts = createHosts(cloudOf({ cloud: 'Public', services: fake.services }));
  const [secret = ''] = fake.app.secrets;
  const credential = { kind: 'password', password: { reveal: () => secret } } as const;
  const config = {
    ...appConfig,
    cloud: 'Public' as const,
    appId: fake.app.id,
    tenant: tenant.id,
    credential,
    services: fake.services,
  };
  const caller = createCaller(http, hosts, createTokens({ config, http, clock }), quiet);
  const connector = createConnector(caller, clock, async () => ({ answered: () => undefined }));
  const streaming = createStreaming(true, clock);
  const stops: string[] = [];
  const forgotten: string[] = [];
  const unshown: string[] = [];
  const later: string[] = [];
  const rights = { others: true };
  const screens = new Map<TurnId, Screen>();
  const streamedTexts = createStreamedTexts();
  const deps: WriterDeps = {
    connector,
    places: {
      find: async (thread) => (forgotten.includes(thread.room) ? undefined : placeOf(thread, fake, team.id)),
      close: async ({ conversation }) => void forgotten.push(conversation.split(';')[0] ?? ''),
    },
    host: {
      clock,
      log: quiet,
      agents: () => agentCards,
      corrections: correctionsOf(),
      otherRights: () => rights.others,
      async openMedia({ id }) {
        if (id.startsWith('lost')) throw new BridgeError('media-unavailable', 'It is lost.');
        const size = Number(/\d+$/.exec(id)?.[0] ?? 0);
        return { type: 'image/png', bytes: Buffer.concat([PNG], Math.max(size, PNG.length)) };
      },
      link: ({ id }) => `https://bridge.example/media/${id}`,
      sourceLink: (source) => fragmentLink(source),
      async messagesOfOthers({ id }) {
        if (rig.storeFails) throw new BridgeError('store-unavailable', 'The store does not answer.');
        return new Set(
          [...screens].flatMap(([turn, { parts }]) => (turn === id ? [] : parts.map((part) => part.id))),
        );
      },
    },
    streaming,
    format: 'markdown',
    appId: fake.app.id,
    stopped: ({ id }) => void stops.push(id),
    unshown: ({ id }) => void unshown.push(id),
    removeLater: async ({ id }) => void later.push(id),
    random: () => 0,
    streamedTexts,
    streamCalls: createStreamCalls(),
  };
  const graph = createGraph(caller, connector, hosts, clock);
  const channel = team.channel();
  const someone = tenant.person();
  let asked = 0;
  const messages = ({ message: { thread } }: Turn) =>
    fake
      .messages(thread.room)
      .filter(({ person, deletedAt }) => person === undefined && deletedAt === undefined)
      .filter(({ root }) => thread.kind !== 'room' || root === thread.key);
  const rig: Rig = {
    ...{ fake, screens, streamedTexts, rights },
    storeFails: false,
    ask(kind, { attempt = 1 } = {}) {
      asked += 1;
      const person = kind === 'direct' ? tenant.person() : someone;
      const place = {
        direct: () => person.dm(),
        group: () => tenant.chat({ members: [person], consents: ['ChatMessage.Read.Chat'] }),
        room: () => channel,
      }[kind]();
      const { message } = person.mentions(place, `Question ${asked}`, { silent: true });
      time += 1;
      const key = kind === 'room' ? message.id : place.id;
      const question = messageWith({
        id: `${place.id}/${message.id}`,
        thread: { channel: 'teams', tenant: tenant.id, room: place.id, key, kind },
        sender: { id: person.aadObjectId, name: person.name, home: tenant.id, standing: 'member' },
        text: `Question ${asked}`,
        sentAt: time,
      });
      return turnWith({ id: turnId(`turn-${asked}`), message: question, keptAt: time, attempt });
    },
    writer: (turn, { streams = true, reads = false, format = 'markdown' } = {}) =>
      createWriter(turn, {
        ...deps,
        format,
        ...(reads && { graph }),
        ...(!streams && { streaming: createStreaming(false, clock) }),
      }),
    messages,
    texts: (turn) =>
      messages(turn).flatMap(({ shown, stream }) => (shown.text === '' && !stream ? [] : [shown.text])),
    cards: (turn) =>
      messages(turn).flatMap(({ shown }) => shown.attachments.map((each) => JSON.stringify(each.content))),
    post: ({ message: { thread } }, activity) =>
      connector.send(placeOf(thread, fake, team.id), activity, new AbortController().signal),
    pass: (ms) => {
      time += ms;
    },
    now: clock.now,
    stops,
    forgotten,
    unshown,
    later,
    async close() {
      await http.close();
      await fake.close();
      expect(fake.log.violations).toEqual([]);
    },
  };
  return rig;
}

const appConfig = {
  name: 'Parley',
  streaming: true,
  prompts: [],
  allMessages: false,
  targeted: false,
  extendedMarkdown: false,
};

function placeOf(
  { tenant, room, key, kind }: Omit<ThreadRef, 'channel'>,
  fake: FakeTeams,
  team: string,
): ReplyPlace {
  return {
    tenant,
    conversation: kind === 'room' ? `${room};messageid=${key}` : room,
    kind,
    serviceUrl: fake.serviceUrl(tenant),
    bot: fake.app.botId,
    ...(kind === 'room' && { team }),
  };
}
