/** Tests button presses on a streamed answer after its end. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePerson, type FakeTeams, type Message, startFakeTeams } from '../../fakes/teams/index.ts';

import { openStage, type Stage, shown } from '../house/teams-stage.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 100 });
let fake: FakeTeams;
let stage: Stage;
let person: FakePerson;
beforeAll(async () => {
  fake = await startFakeTeams();
  stage = await openStage(fake);
});
afterAll(async () => {
  await stage.close();
  await fake.close();
});

const QUESTION = 'how long is a visitor pass valid?';
const onStream = () => fake.log.of('stream', 'final').filter(({ status = 0 }) => status >= 400);

test.each([
  'Regenerate',
  'Regenerate after a restart',
  'an edit',
])('%s after it makes no call to the completed stream', async (what) => {
  person = fake.tenant().person();
  const chat = person.dm();
  const { message } = person.says(chat, QUESTION);
  const done = (): Message | undefined =>
    fake.messages(chat).find((each) => person.offers(each).includes('Regenerate'));
  await eventually(done).toBeDefined();
  const [first] = fake.screen(chat).filter(({ streaming }) => streaming !== undefined);
  expect(first?.streaming).toBe('completed');
  const before = fake.log.calls.length;
  const card = done();
  if (card === undefined) throw new Error('there is no answer');
  if (what.endsWith('restart')) await stage.restart();
  if (what.startsWith('Regenerate')) await person.presses(card, 'Regenerate').answer;
  else person.edits(message, 'how long does a visitor pass last, please?');
  await eventually(
    () => fake.messages(chat).find(({ id }) => id === first?.id)?.history.length ?? 0,
  ).toBeGreaterThan(0);
  await eventually(() => shown(fake, chat).join()).toMatch(/day/);
  await eventually(done).toBeDefined();
  const later = fake.log.calls
    .slice(before)
    .filter(({ method }) => method === 'stream' || method === 'final');
  expect(
    later
      .filter(({ conversation }) => conversation === chat.id)
      .map(({ method, status }) => [method, status]),
  ).toEqual([]);
  expect(onStream()).toEqual([]);
});
