/**
 * Tests in each channel that two people with different rights, who ask the same question in one thread, see the sources
 * of their own accounts. The people signed in to the console, and linked themselves in the other channels.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageView, ReplyView } from '../../../adapters/console/wire.ts';
import type { FakePerson as SlackPerson } from '../../fakes/slack/index.ts';
import type { Conversation, Message, FakePerson as TeamsPerson } from '../../fakes/teams/index.ts';
import { unless } from '../../fakes/xmpp/on-servers.ts';
import { connectPerson, type XmppPerson } from '../../fakes/xmpp/person.ts';
import { missing } from '../../fakes/xmpp/servers.ts';
import { controlOf } from '../../unit/slack/controls.ts';
import {
  BOARD,
  OPEN,
  openRightsStage,
  type RightsStage,
  STAFF,
  seenIn,
  XMPP_BRIDGE,
  XMPP_ROOM,
} from '../house/rights-stage.ts';
import { directRoom, Visitor } from '../house/visitor.ts';

const QUESTION = 'How long is a visitor pass valid?';
const NEXT_QUESTION = 'And how long is a visitor pass valid for a workshop?';
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 100 });

let stage: RightsStage;
let ada: Visitor;
let ben: Visitor;

beforeAll(async () => {
  stage = await openRightsStage();
  ada = await Visitor.signIn(stage.url, stage.provider, 'ada');
  ben = await Visitor.signIn(stage.url, stage.provider, 'ben');
});
afterAll(() => stage?.close());

/** Opens the page whose address is in the reply to `link`, and links the sender of `link` to the visitor's account. */
async function connect(visitor: Visitor, answer: () => unknown): Promise<void> {
  await eventually(() => JSON.stringify(answer())).toMatch(/#\/link\/[\w-]{50,}/);
  const [, token = ''] = /#\/link\/([\w-]{50,})/.exec(JSON.stringify(answer())) ?? [];
  expect((await visitor.post('link', { token })).status).toBe(200);
  expect((await visitor.post('link/confirm', { token })).status).toBe(200);
}

test('S17: in the console: each sees the sources of their own account, and reads nothing of the other’s private answer', async () => {
  const ends = [await ada.follow(0), await ben.follow(0)];
  const question = await ben.ask('general', `@knowledge ${QUESTION}`);
  const shared = await withSources(ben, question);
  expect(titlesOf(shared)).toEqual(['Passes of the folder']);

  const [ofAda, ofBen] = [await askAsMe(ada, shared.turn), await askAsMe(ben, shared.turn)];
  expect(titlesOf(ofAda.reply)).toEqual([
    'Passes of the board',
    'Passes of the folder',
    'Passes of the handbook',
  ]);
  expect(titlesOf(ofBen.reply)).toEqual(['Passes of the folder', 'Passes of the handbook']);
  expect(await reachedBy(ben, ofAda)).toEqual([]);
  expect(await reachedBy(ada, ofBen)).toEqual([]);

  const { thread } = question;
  const next = await ben.answerTo(await ada.ask('general', `@knowledge ${NEXT_QUESTION}`, { thread }));
  for (const { received } of [ada, ben]) await eventually(() => received.join()).toContain(next.turn);
  for (const end of ends) await end();
  expect(seenIn((await ada.visit(`rooms/general/threads/${thread}`)).text)).toEqual([OPEN]);
  expect(seenIn(ben.received)).toEqual([OPEN, STAFF]);
  expect(ben.received.join()).not.toContain(ofAda.reply.turn);
  expect(ada.received.join()).not.toContain(ofBen.reply.turn);
});

/** Resolves with the answer once it has sources, which the bridge may add after the end of the text. */
async function withSources(visitor: Visitor, question: MessageView): Promise<ReplyView> {
  await eventually(async () => (await visitor.answerTo(question)).sources.length).toBeGreaterThan(0);
  return visitor.answerTo(question);
}

const titlesOf = ({ sources }: ReplyView) => sources.map(({ title }) => title).toSorted();

async function askAsMe(visitor: Visitor, turn: string) {
  const { status, text } = await visitor.post(`replies/${turn}/ask-me`, {});
  expect(status, text).toBe(200);
  const question = JSON.parse(text) as MessageView;
  expect(question.room).toBe(directRoom(visitor, 'knowledge'));
  return { question, reply: await withSources(visitor, question) };
}

/** Requests another person's private answer by every route. Returns the requests that were not refused. */
async function reachedBy(thief: Visitor, { question, reply }: Awaited<ReturnType<typeof askAsMe>>) {
  const room = `rooms/${encodeURIComponent(question.room)}`;
  const reads = [room, `${room}/threads/direct`, `replies/${reply.turn}/receipt`];
  const presses = ['ask-me', 'retry', 'regenerate', 'stop', 'correction'].map((act) => ({
    path: `replies/${reply.turn}/${act}`,
    body: {},
  }));
  const posts = [
    ...presses,
    { path: 'shares', body: { turn: reply.turn, room: 'general' } },
    { path: 'shares', body: { turn: reply.turn, source: reply.sources[0]?.key, room: 'general' } },
    { path: `${room}/messages`, body: { text: 'sources', files: [] } },
  ];
  const answers = [
    ...(await Promise.all(reads.map(async (path) => ({ path, ...(await thief.visit(path)) })))),
    ...(await Promise.all(
      posts.map(async ({ path, body }) => ({ path, ...(await thief.post(path, body)) })),
    )),
  ];
  return answers.filter(({ status }) => status < 400).map(({ path }) => path);
}

test('in Slack: the thread shows the sources of the agent’s account, and "Ask as me" those of each person’s own', async () => {
  const { slack } = stage;
  const workspace = slack.workspace();
  const people = { ada: workspace.person({ name: 'Ada' }), ben: workspace.person({ name: 'Ben' }) };
  const link = (visitor: Visitor, person: SlackPerson) => {
    const { ts } = person.says(person.dm(), 'link');
    return connect(visitor, () => slack.thread(person.dm().id, ts));
  };
  await Promise.all([link(ada, people.ada), link(ben, people.ben)]);

  const room = workspace.channel({ name: 'reception' }).id;
  const { ts } = people.ben.mentions(room, QUESTION);
  const answers = () => slack.thread(room, ts).filter(({ app, onlyFor }) => app && onlyFor === undefined);
  const asMe = () => controlOf(answers().at(-1)?.blocks, 'reply:mine');
  await eventually(asMe).toBeDefined();
  const answer = answers().at(-1);
  const button = asMe();
  if (answer === undefined || button === undefined) throw new Error('There is no answer.');
  const ownOf = (person: SlackPerson) => slack.messages(room).filter(({ onlyFor }) => onlyFor === person.id);
  for (const person of Object.values(people)) person.presses(answer, button);
  for (const person of Object.values(people))
    await eventually(() => controlOf(ownOf(person).at(-1)?.blocks, 'reply:share')).toBeDefined();

  people.ada.mentions(room, NEXT_QUESTION, { thread: ts });
  await eventually(() => answers().length).toBe(2);
  await eventually(asMe).toBeDefined();
  expect(seenIn(ownOf(people.ada))).toEqual([OPEN, STAFF, BOARD]);
  expect(seenIn(ownOf(people.ben))).toEqual([OPEN, STAFF]);
  expect(seenIn(slack.messages(room).filter(({ onlyFor }) => onlyFor === undefined))).toEqual([OPEN]);
  for (const person of Object.values(people)) expect(seenIn(slack.messages(person.dm().id))).toEqual([]);
  expect(slack.log.violations).toEqual([]);
});

describe('in Teams: the thread shows the sources of the agent’s account, and "Ask as me" those of each person’s own', () => {
  let people: { readonly ada: TeamsPerson; readonly ben: TeamsPerson };
  const shownIn = (place: Conversation, onlyFor?: string): readonly Message[] =>
    stage.teams
      .messages(place)
      .filter(
        (each) => each.person === undefined && each.deletedAt === undefined && each.onlyFor === onlyFor,
      );

  test('each person links themselves', async () => {
    const tenant = stage.teams.tenant();
    people = { ada: tenant.person({ name: 'Ada' }), ben: tenant.person({ name: 'Ben' }) };
    const link = (visitor: Visitor, person: TeamsPerson) => {
      person.says(person.dm(), 'link');
      return connect(visitor, () => shownIn(person.dm()).map(({ shown }) => shown));
    };
    await Promise.all([link(ada, people.ada), link(ben, people.ben)]);
  });

  /** Asks in a new channel, and both people press "Ask as me". Then checks what the channel and each person see. */
  async function askAsBoth(own: (person: TeamsPerson, room: Conversation) => readonly Message[]) {
    const room = stage.teams.tenant().team().channel();
    for (const { aadObjectId } of Object.values(people)) room.members.add(aadObjectId);
    const { message } = people.ben.mentions(room, QUESTION);
    const offers = () => shownIn(room).filter((each) => people.ada.offers(each).includes('Ask as me'));
    await eventually(() => offers().length).toBe(1);
    const [answer] = offers();
    if (answer === undefined) throw new Error('There is no answer.');
    for (const person of Object.values(people)) await person.presses(answer, 'Ask as me').answer;
    const isDone = (person: TeamsPerson) =>
      own(person, room).some((each) => person.offers(each).includes('Share'));
    for (const person of Object.values(people)) await eventually(() => isDone(person)).toBe(true);

    people.ada.mentions(room, NEXT_QUESTION, { thread: message.id });
    await eventually(() => offers().length).toBe(2);
    const wordsOf = (messages: readonly Message[]) => seenIn(messages.map(({ shown }) => shown));
    expect(wordsOf(own(people.ada, room))).toEqual([OPEN, STAFF, BOARD]);
    expect(wordsOf(own(people.ben, room))).toEqual([OPEN, STAFF]);
    expect(wordsOf(shownIn(room))).toEqual([OPEN]);
    expect(stage.teams.log.violations).toEqual([]);
  }

  test('in their chats with the app', () => askAsBoth((person) => shownIn(person.dm())));

  test('in the thread, with `teams.targeted`', async () => {
    await stage.restart({ targeted: true });
    await askAsBoth(({ aadObjectId }, room) => shownIn(room, aadObjectId));
  });
});

describe('in XMPP', () =>
  unless(missing('prosody'), () => {
    let people: { readonly ada: XmppPerson; readonly ben: XmppPerson };
    beforeAll(async () => {
      const port = stage.xmpp?.port ?? 0;
      people = { ada: await connectPerson(port, 'ada'), ben: await connectPerson(port, 'ben') };
      for (const person of Object.values(people)) await person.join(XMPP_ROOM);
    });
    afterAll(async () => {
      for (const person of Object.values(people)) await person.close();
    });
    const answersIn = (person: XmppPerson, place: string) =>
      person.seen(place).filter(({ text }) => /visitor pass of the colo/.test(text));

    test('the room shows the sources of the agent’s account, and each direct chat those of the person’s own', async () => {
      const own = (person: XmppPerson) => seenIn(answersIn(person, XMPP_BRIDGE));
      for (const [name, visitor] of [['ada', ada] as const, ['ben', ben] as const]) {
        await people[name].says(XMPP_BRIDGE, 'link');
        await connect(visitor, () => people[name].seen(XMPP_BRIDGE));
        await people[name].says(XMPP_ROOM, `Parley: ${QUESTION}`);
        await people[name].says(XMPP_BRIDGE, QUESTION);
      }
      await eventually(() => own(people.ada)).toEqual([OPEN, STAFF, BOARD]);
      await eventually(() => own(people.ben)).toEqual([OPEN, STAFF]);
      await eventually(() => answersIn(people.ada, XMPP_ROOM)).toHaveLength(2);
      for (const person of Object.values(people)) expect(seenIn(person.seen(XMPP_ROOM))).toEqual([OPEN]);
    });
  }));
