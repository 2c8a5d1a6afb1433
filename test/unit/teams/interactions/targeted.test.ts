/** Tests messages in channels and group chats that only the app and the sender see. The answers stay private too. */

import { afterEach, expect, test } from 'vitest';
import type { Conversation, FakePerson, FakeTenant } from '../../../fakes/teams/index.ts';
import { visibleText } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';
import { documentOf, turnOf, write } from './rig.ts';

let rig: Rig;
let tenant: FakeTenant;
let asker: FakePerson;
let other: FakePerson;

const open = async (targeted: boolean) => {
  // Without the setting, an app that was uploaded with it still lets people send such messages.
  rig = await startRig({ config: { targeted }, app: { targeted: true } });
  tenant = rig.fake.tenant();
  asker = tenant.person({ name: 'Engineer' });
  other = tenant.person({ name: 'Other Engineer' });
};
afterEach(() => rig.close());

const places = (): readonly Conversation[] => {
  const channel = tenant.team().channel();
  const chat = tenant.chat();
  for (const each of [asker, other]) {
    channel.members.add(each.aadObjectId);
    chat.members.add(each.aadObjectId);
  }
  return [channel, chat];
};
const ask = async (place: Conversation, person = asker) => {
  const heard = person.says(place, 'Which colour is it?', { targeted: true });
  expect((await heard.delivery?.done)?.status).toBe(200);
  const [taken] = rig.taken.splice(0);
  return { heard, message: taken?.kind === 'ask' ? taken.message : undefined };
};
const ours = (place: Conversation) => rig.fake.messages(place).filter(({ person }) => person === undefined);

test('get an answer with a complete card that only their sender sees', async () => {
  await open(true);
  for (const place of places()) {
    const { heard, message } = await ask(place);
    if (message === undefined) throw new Error('it was not taken in');
    const turn = turnOf(message.thread, heard.message.id, asker);
    await write(rig, turn, { ...documentOf(), state: 'writing' }, documentOf({ version: 2 }));
    expect(ours(place).length).toBeGreaterThan(1);
    expect(new Set(ours(place).map(({ onlyFor }) => onlyFor))).toEqual(new Set([asker.aadObjectId]));
    expect(ours(place)[0]?.shown.text).toBe('It is **blue** [1].');
  }
});

test('form one conversation for each person in a thread, separate from public messages and other people', async () => {
  await open(true);
  const [, chat] = places();
  if (chat === undefined) throw new Error('there is no chat');
  const keys = [await ask(chat), await ask(chat), await ask(chat, other)].map(
    (each) => each.message?.thread.key,
  );
  await asker.mentions(chat, 'Which colour is it?').delivery?.done;
  const [publicly] = rig.taken.splice(0);
  expect(keys[0]).toBe(keys[1]);
  expect(keys[0]).not.toBe(keys[2]);
  expect(publicly?.kind === 'ask' && publicly.message.thread.key).toBe(chat.id);
});

test('get a refusal that only their sender sees, if private answers are off', async () => {
  await open(false);
  for (const place of places()) {
    const { message } = await ask(place);
    expect(message).toBeUndefined();
    await expect.poll(() => ours(place).length).toBe(1);
    const [note] = rig.fake.screen(place).filter(({ by }) => by === 'app');
    expect(note && visibleText(note)).toContain('cannot answer in private here');
    expect(ours(place)[0]?.onlyFor).toBe(asker.aadObjectId);
  }
});
