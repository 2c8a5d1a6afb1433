/** Tests messages in a strict fake Teams, with the whole bridge and the embedded sandbox. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Conversation,
  type FakePerson,
  type FakeTeams,
  type FakeTenant,
  startFakeTeams,
  visibleText,
} from '../../fakes/teams/index.ts';
import { openStage, type Stage, shown } from '../house/teams-stage.ts';

const QUESTION = 'what is the data retention policy?';
const ANSWER = 'how it is deleted';
const ANSWERED_MS = 90_000;

const eventually = (look: () => unknown) => expect.poll(look, { timeout: ANSWERED_MS, interval: 100 });

describe('in one organization', () => {
  let stage: Stage;
  let fake: FakeTeams;
  let tenant: FakeTenant;
  let room: Conversation;
  let engineer: FakePerson;

  beforeAll(async () => {
    fake = await startFakeTeams();
    stage = await openStage(fake);
    tenant = fake.tenant();
    room = tenant.team().channel();
    engineer = tenant.person({ name: 'Engineer' });
  });
  afterAll(async () => {
    await stage?.close();
    await fake.close();
  });

  test('a question in a personal chat is answered there', async () => {
    const chat = engineer.dm();
    engineer.says(chat, QUESTION);
    await eventually(() => shown(fake, chat).join()).toContain(ANSWER);
  });

  test('a mention in a channel is answered once, in its thread', async () => {
    const { message } = engineer.mentions(room, QUESTION);
    await eventually(() => shown(fake, room, message.id).join()).toContain(ANSWER);
    expect(shown(fake, room, message.id)).toHaveLength(1);
  });

  test('a mention in a group chat is answered there, and other messages are not', async () => {
    const chat = tenant.chat();
    engineer.says(chat, QUESTION);
    engineer.mentions(chat, QUESTION);
    await eventually(() => shown(fake, chat).join()).toContain(ANSWER);
    expect(shown(fake, chat)).toHaveLength(1);
  });

  test('a pasted image is read with the token and reaches the agent', async () => {
    const bytes = readFileSync(new URL('../house/red-dot.png', import.meta.url));
    const person = tenant.person({ name: 'Painter' });
    person.says(person.dm(), 'image-demo: what is this?', { pictures: [{ bytes }] });
    await eventually(() => shown(fake, person.dm()).join()).toContain('image');
    expect(fake.log.calls.filter(({ method, status }) => method === 'view' && status === 200)).toHaveLength(
      1,
    );
  });

  test('a file in a channel gets an explanation of where files can be shared', async () => {
    const { message } = engineer.mentions(room, 'image-demo: what is this?', {
      files: [{ name: 'plan.pdf' }],
    });
    const said = () =>
      JSON.stringify(fake.screen(room).filter(({ root, by }) => root === message.id && by === 'app'));
    await eventually(said).toContain('our personal chat');
  });

  test('the native Stop ends the answer and keeps its text', async () => {
    const person = tenant.person({ name: 'Hasty Engineer' });
    const chat = person.dm();
    person.says(chat, 'slow-demo: tell me everything at length, please');
    await eventually(() => shown(fake, chat).join().length).toBeGreaterThan(5);
    person.stops(chat);
    await eventually(() => JSON.stringify(fake.screen(chat))).toMatch(/stopped/i);
  });

  test('an edited question is asked again in the same reply, and a deleted one deletes its reply', async () => {
    const { message } = engineer.mentions(room, 'how long is a visitor pass valid?');
    const ours = () => shown(fake, room, message.id);
    await eventually(() => ours().join()).toMatch(/day/);
    engineer.edits(message, `<at>Parley</at> ${QUESTION}`);
    await eventually(() => ours().join()).toContain(ANSWER);
    expect(ours()).toHaveLength(1);
    engineer.deletes(message);
    await eventually(ours).toEqual([]);
  });

  test('guests and people of other organizations are refused visibly, and the agent is not asked', async () => {
    const guest = tenant.person({ name: 'Visitor', role: 'guest' });
    const stranger = tenant.person({ name: 'Stranger', home: '99999999-9999-4999-8999-999999999999' });
    for (const person of [guest, stranger]) {
      const { message } = person.mentions(room, QUESTION);
      const seen = () => JSON.stringify(fake.screen(room).filter(({ root }) => root === message.id));
      await eventually(seen).toContain('cannot use this here');
      expect(seen()).not.toContain(ANSWER);
    }
  });

  test('a person who adds the app is greeted, and the data of one who removes it is deleted', async () => {
    const person = tenant.person({ name: 'New Engineer' });
    const chat = person.dm();
    person.installs();
    await eventually(() => shown(fake, chat).join()).toContain('I am Parley');
    person.says(chat, QUESTION);
    await eventually(() => shown(fake, chat).join()).toContain(ANSWER);
    person.removes(chat);
    await eventually(() => stage.parley.output()).toContain('everything stored for a room was deleted');
  });

  test('each answer in a personal chat says who answered and why, once, also after an edit that names another agent', async () => {
    const person = fake.tenant().person();
    const chat = person.dm();
    const authors = () =>
      fake.screen(chat).flatMap((seen) => visibleText(seen).match(/Answered by .*/g) ?? []);
    const usual = 'the agent of this conversation';
    person.says(chat, 'echo: first');
    await eventually(authors).toEqual(['Answered by echo']);
    const { message } = person.says(chat, `knowledge: ${QUESTION}`);
    await eventually(authors).toEqual(['Answered by echo', 'Answered by knowledge']);
    person.says(chat, QUESTION);
    await eventually(() => authors()[2]).toMatch(new RegExp(`^Answered by [\\w-]+, ${usual}$`));
    const [, , last] = authors();
    person.edits(message, 'echo: second');
    await eventually(authors).toEqual(['Answered by echo', 'Answered by echo', last]);
  });

  test('Teams found no fault in any call', () => {
    expect(fake.log.violations).toEqual([]);
  });
});

test('a repeated event, at once and after a restart, is answered once (F23)', async () => {
  const fake = await startFakeTeams();
  const stage = await openStage(fake);
  const person = fake.tenant().person();
  const room = fake.tenant().team().channel();
  const { message, delivery } = person.mentions(room, QUESTION);
  if (delivery === undefined) throw new Error('Teams sent no event');
  const again = async () => expect((await fake.events.again(delivery).done)?.status).toBe(200);
  await Promise.all([again(), again(), again()]);
  await stage.restart();
  await again();
  await eventually(() => shown(fake, room, message.id).join()).toContain(ANSWER);
  const later = person.mentions(room, QUESTION);
  await again();
  await eventually(() => shown(fake, room, later.message.id).join()).toContain(ANSWER);
  expect(shown(fake, room, message.id)).toHaveLength(1);
  expect(fake.log.violations).toEqual([]);
  await stage.close();
  await fake.close();
});

test('follow-ups in a thread need no mention if owners consented to all messages', async () => {
  const fake = await startFakeTeams();
  const stage = await openStage(fake, { allMessages: true });
  const person = fake.tenant().person();
  const room = fake
    .tenant()
    .team({ consents: ['ChannelMessage.Read.Group'] })
    .channel();
  const { message } = person.mentions(room, QUESTION);
  await eventually(() => shown(fake, room, message.id).join()).toContain(ANSWER);
  person.says(room, 'And how long is a visitor pass valid?', { thread: message.id });
  await eventually(() => shown(fake, room, message.id)[1]).toMatch(/day/);
  await stage.close();
  await fake.close();
});
