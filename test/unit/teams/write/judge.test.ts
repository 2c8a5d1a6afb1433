/**
 * Compares what Parley sends to the Bot Connector with what Microsoft's own SDK (`@microsoft/teams.apps`) sends for the
 * same act, on the fake Teams. Each difference is written down with its source.
 */

import {
  Client as ApiClient,
  cardAttachment,
  MessageActivityInput,
  TypingActivityInput,
} from '@microsoft/teams.api';
import { ActivitySender } from '@microsoft/teams.apps/dist/activity-sender.js';
import { HttpStream } from '@microsoft/teams.apps/dist/http/http-stream.js';
import { ConsoleLogger } from '@microsoft/teams.common';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quotedReply } from '../../../../adapters/teams/receive/quotes.ts';
import { cardMessage } from '../../../../adapters/teams/single-sign-on/card.ts';
import { plain } from '../../../../src/kit/json.ts';
import type { Turn } from '../../../../src/kit.ts';
import { startRig } from '../rig.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

/** Returns the SDK's sender, with the token that Parley has got. */
function sdk({ message: { thread } }: Turn) {
  const token = rig.fake.login.issued.find(({ audience }) => audience === 'https://api.botframework.com');
  const headers = { authorization: `Bearer ${token?.value ?? ''}` };
  const conversations = new ApiClient(rig.fake.serviceUrl(), { headers }).conversations;
  const id = thread.kind === 'room' ? `${thread.room};messageid=${thread.key}` : thread.room;
  return { conversations, id };
}

/** The paths of all values in a body, with `[]` for the items of a list. */
function paths(value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => paths(each, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([name, each]) => paths(each, at === '' ? name : `${at}.${name}`));
}

const without = (some: ReadonlySet<string> = new Set(), others: ReadonlySet<string> = new Set()) =>
  [...some].filter((path) => !others.has(path)).toSorted();

interface Compared {
  readonly onlyParley: readonly string[];
  readonly onlySdk: readonly string[];
}

/** Compares Parley's first call with that of the SDK: the same method, accepted by Teams, and the paths of the body. */
async function compare(
  method: string,
  parley: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<Compared> {
  const last = async (act: () => Promise<unknown>) => {
    rig.fake.log.clear();
    await act();
    const calls = rig.fake.log.calls.filter((each) => each.method !== 'token');
    const call = calls.find((each) => each.method === method);
    expect(calls.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    expect(call?.method).toBe(method);
    return new Set(paths(call?.asked));
  };
  const [ours, theirs] = [await last(parley), await last(other)];
  return {
    onlyParley: without(ours, theirs),
    onlySdk: without(theirs, ours),
  };
}

/**
 * Properties of Parley's activities that the SDK's clients do not add by themselves: the channel, the conversation with
 * its type, and the bot (Bot Connector reference, "Activity object"; the SDK's `ActivitySender` adds the last two).
 */
const ENVELOPE = [
  'channelId',
  'conversation.conversationType',
  'conversation.id',
  'conversation.tenantId',
  'from.id',
];
/** Microsoft's pages on the AI label and on feedback buttons; the SDK adds both on request. */
const LABEL = [
  'channelData.feedbackLoop.type',
  'entities[].@context',
  'entities[].@id',
  'entities[].@type',
  'entities[].additionalType[]',
  'entities[].type',
];
/**
 * The SDK repeats the stream's state in `channelData`. Microsoft's page on streaming requires it in the entity
 * `streaminfo`, and names `channelData` only for SDKs of its own.
 */
const STREAM_DATA = ['channelData.streamSequence', 'channelData.streamType'];

/** The bot's name and role, which the SDK copies from its reference to the conversation. */
const SDK_NAMES = ['from.name', 'from.role'];

const said = (text: string) => new MessageActivityInput(text).withTextFormat('markdown');
const sorted = (...lists: (readonly string[])[]): readonly string[] => lists.flat().toSorted();

test('a message and its edit', async () => {
  const play = playIn(rig, { kind: 'room' });
  const { conversations, id } = sdk(await warm(play));
  expect(
    await compare(
      'send',
      () => playIn(rig, { kind: 'room' }).show({ state: 'writing', text: 'One' }),
      () => conversations.createActivity(id, said('One')),
    ),
  ).toEqual({ onlyParley: sorted(ENVELOPE, LABEL), onlySdk: [] });
  const message = String(play.screen.parts[0]?.id);
  expect(
    await compare(
      'update',
      () => play.show({ state: 'writing', text: 'One two' }),
      () => conversations.updateActivity(id, message, said('One')),
    ),
  ).toEqual({ onlyParley: sorted(ENVELOPE, LABEL), onlySdk: [] });
});

test('a stream, its continuation and its end', async () => {
  const warmed = playIn(rig, { kind: 'room' });
  const { conversations } = sdk(await warm(warmed));
  const play = playIn(rig, { kind: 'direct' });
  const { room } = rig.ask('direct').message.thread;
  const where = { conversation: { conversationType: 'personal', id: room, tenantId: rig.fake.tenant().id } };
  let stream = '';
  const onlyParley = ['channelId', 'from.id', 'recipient.id'];
  const typed = (text: string, at: number) =>
    Object.assign(
      new TypingActivityInput().withText(text).withTextFormat('markdown').addStreamUpdate(at),
      stream === '' ? {} : { id: stream },
      where,
    );
  expect(
    await compare(
      'stream',
      () => play.show({ state: 'writing', text: 'One' }),
      async () => {
        ({ id: stream } = await conversations.createActivity(room, typed('One', 1)));
      },
    ),
  ).toEqual({ onlyParley, onlySdk: STREAM_DATA });
  const final = () => {
    const message = Object.assign(said('One two'), where);
    const entities = [{ type: 'streaminfo' as const, streamId: stream, streamType: 'final' as const }];
    return Object.assign(message, { entities });
  };
  expect(
    await compare(
      'final',
      () => play.show({ state: 'done', text: 'One two' }),
      async () => {
        rig.pass(2_000);
        await conversations.createActivity(room, final());
      },
    ),
  ).toEqual({
    onlyParley: sorted(
      onlyParley,
      LABEL.filter((path) => path !== 'entities[].type'),
    ),
    onlySdk: [],
  });
});

test('a stream of the SDK’s own streamer, and its end', async () => {
  const { conversations } = sdk(await warm(playIn(rig, { kind: 'room' })));
  const play = playIn(rig, { kind: 'direct' });
  rig.fake.log.clear();
  await play.show({ state: 'writing', text: 'One' });
  await play.show({ state: 'done', text: 'One two' });
  const ours = rig.fake.log.calls.filter(({ method }) => method === 'stream' || method === 'final');
  rig.fake.log.clear();
  const { room } = rig.ask('direct').message.thread;
  const stream = new HttpStream(
    { conversations } as ApiClient,
    {
      serviceUrl: rig.fake.serviceUrl(),
      bot: { id: rig.fake.app.botId, name: 'Parley', role: 'bot' },
      conversation: { id: room, conversationType: 'personal', tenantId: rig.fake.tenant().id },
      channelId: 'msteams',
    },
    new ConsoleLogger('judge', { level: 'error' }),
  );
  const chunk = new Promise((done) => stream.events.on('chunk', done));
  stream.emit(said('One'));
  await chunk;
  rig.pass(2_000);
  await stream.close();
  const theirs = rig.fake.log.calls;
  expect(theirs.map(({ method, status }) => [method, status])).toEqual(
    ours.map(({ method, status }) => [method, status]),
  );
  const differences = ours.map(({ asked }, at) => {
    const [one, other] = [new Set(paths(asked)), new Set(paths(theirs[at]?.asked))];
    return { onlyParley: without(one, other), onlySdk: without(other, one) };
  });
  expect(differences).toEqual([
    { onlyParley: ['channelId', 'recipient.id'], onlySdk: [...SDK_NAMES, ...STREAM_DATA].toSorted() },
    {
      onlyParley: sorted(
        ['channelId', 'recipient.id'],
        LABEL.filter((path) => path !== 'entities[].type'),
      ),
      // The SDK also sends the stream's id as the activity's id. Agents Playground 0.2.28 ends Parley's streams without it.
      onlySdk: [...SDK_NAMES, 'channelData.streamId', 'channelData.streamType', 'id'].toSorted(),
    },
  ]);
});

test('a sign-in card', () => {
  const theirs = cardAttachment('oauth', {
    text: 'Please sign in',
    connectionName: 'sso',
    tokenExchangeResource: { id: '1', uri: 'api://app' },
    buttons: [{ type: 'signin', title: 'Sign in', value: 'https://sign.example' }],
  });
  const ours = plain(cardMessage('api://app', '1', 'https://sign.example')).attachments;
  expect(paths(ours)).toEqual(paths([theirs]));
  expect(ours).toMatchObject([{ contentType: theirs.contentType }]);
});

// Parley sends no quotes (it answers in the thread) and no reactions, so only the quotes that it reads are compared.
test('a quote that the SDK writes is read as a quote', () => {
  const { entities = [] } = new MessageActivityInput('Why?').prependQuote('17');
  expect(entities.map(({ type }) => type)).toEqual(['quotedReply']);
  const shown = entities.map((each) => {
    const { quotedReply: reply } = plain(each);
    return { ...each, quotedReply: { ...plain(reply), preview: 'It is blue.', senderName: 'Ada' } };
  });
  expect(shown.flatMap((each) => quotedReply(each))).toEqual([{ author: 'Ada', text: 'It is blue.' }]);
});

test('a message that only one person sees', async () => {
  const notes = await startRig({ app: { targeted: true } });
  const ada = notes.fake.tenant().person({ name: 'Ada' });
  const chat = notes.fake.tenant().chat({ members: [ada] });
  await ada.says(chat, 'hello', { targeted: true }).delivery?.done;
  const sent = () => notes.fake.log.calls.filter(({ method }) => method === 'send');
  await expect.poll(() => sent().length).toBe(1);
  const token = notes.fake.login.issued.find(({ audience }) => audience === 'https://api.botframework.com');
  const http = { headers: { authorization: `Bearer ${token?.value ?? ''}` } };
  const sender = new ActivitySender(new ConsoleLogger('judge'), (url) => new ApiClient(url, http));
  await sender.send(said('For you').withRecipient({ id: ada.id, name: ada.name, role: 'user' }, true), {
    serviceUrl: notes.fake.serviceUrl(),
    bot: { id: notes.fake.app.botId, name: 'Parley', role: 'bot' },
    conversation: {
      id: chat.id,
      conversationType: 'groupChat',
      tenantId: notes.fake.tenant().id,
      isGroup: true,
    },
    channelId: 'msteams',
  });
  const [ours, theirs] = sent().map(({ asked }) => new Set(paths(asked)));
  await notes.close();
  expect(without(ours, theirs)).toEqual([]);
  // The SDK marks the recipient too. Microsoft's page on targeted messages names the query only for HTTP.
  expect(without(theirs, ours).filter((path) => path.startsWith('recipient'))).toEqual([
    'recipient.isTargeted',
    'recipient.role',
  ]);
});

/** Lets Parley get a token. */
async function warm(play: Play): Promise<Turn> {
  await play.show({ state: 'writing', text: 'Zero' });
  return play.turn;
}
