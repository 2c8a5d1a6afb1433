/**
 * Tests installations and removals of the app: each conversation is greeted once and stored, and its data is deleted on
 * removal.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Conversation, FakePerson } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';

let rig: Rig;
let person: FakePerson;
beforeEach(async () => {
  rig = await startRig({
    config: { prompts: [{ title: 'Holidays', message: 'How many holidays do I have?' }] },
  });
  person = rig.fake.tenant().person({ name: 'Engineer' });
});
afterEach(() => rig.close());

/** Returns an activity of the conversation, from which tests make other activities. */
async function from(conversation: Conversation): Promise<Record<string, unknown>> {
  const { delivery } = person.mentions(conversation, 'How long?');
  await delivery?.done;
  return { ...delivery?.activity };
}

const written = (conversation: Conversation) =>
  rig.fake.screen(conversation).filter(({ by }) => by === 'app');

describe('an installation', () => {
  test('in a personal chat gets a greeting with suggested questions', async () => {
    const room = person.dm();
    person.installs();
    await expect.poll(() => written(room)).toHaveLength(1);
    const [greeting] = rig.fake.messages(room).filter(({ person: by }) => by === undefined);
    expect(greeting?.shown.text).toContain('I am Parley');
    expect(greeting?.shown.textFormat).toBe('markdown');
    expect(written(room)[0]?.text.split('\n')).toHaveLength(2);
    expect(greeting?.shown.suggested).toEqual([
      { type: 'imBack', title: 'Holidays', value: 'How many holidays do I have?' },
    ]);
  });

  test('in a team gets a greeting that explains how to ask, without suggestions', async () => {
    const { general } = rig.fake.tenant().team();
    person.installs(general);
    await expect.poll(() => written(general)).toHaveLength(1);
    const [greeting] = rig.fake.messages(general).filter(({ person: by }) => by === undefined);
    expect(greeting?.shown.text).toContain('@Parley');
    expect(greeting?.shown.suggested).toEqual([]);
  });

  test('gets one greeting, however many events Teams sends', async () => {
    const room = person.dm();
    person.installs();
    await expect.poll(() => written(room)).toHaveLength(1);
    await person.sends(room, { type: 'installationUpdate', action: 'add-upgrade' }).done;
    for (const { done } of person.installs()) await done;
    await rig.restart();
    for (const { done } of person.installs()) await done;
    await rig.restart();
    expect(written(room)).toHaveLength(1);
  });

  test('gets the greeting with the next event if the first one certainly did not arrive', async () => {
    const room = person.dm();
    rig.fake.plant({ kind: 'status', status: 400, method: 'send', count: 1 });
    for (const { done } of person.installs()) await done;
    await expect.poll(() => [...rig.state.keys()].filter((key) => key.startsWith('greeted'))).toEqual([]);
    person.installs();
    await expect.poll(() => written(room)).toHaveLength(1);
  });
});

const tenant = () => rig.fake.tenant().id;
const keptPlaces = () => [...rig.state.keys()].filter((key) => key.startsWith('place '));

describe('a removal', () => {
  test('from a chat deletes its data', async () => {
    const room = person.dm();
    await from(room);
    expect(keptPlaces()).toEqual([`place ${tenant()} ${room.id}`]);
    for (const { done } of person.removes(room)) expect(await done).toMatchObject({ status: 200 });
    expect(rig.forgotten).toEqual([`${tenant()} ${room.id}`]);
    expect(keptPlaces()).toEqual([]);
  });

  test('from a team deletes the data of its channels, and of no other', async () => {
    const team = rig.fake.tenant().team();
    const channels = [team.channel(), team.channel()];
    for (const channel of channels) await from(channel);
    await from(rig.fake.tenant().team().channel());
    await from(team.general);
    for (const { done } of person.removes(team.general)) await done;
    const gone = [...channels, team.general].map(({ id }) => `${tenant()} ${id}`);
    expect([...rig.forgotten].sort()).toEqual(gone.sort());
    expect(keptPlaces()).toHaveLength(1);
  });

  test('deletes the room from the records of its people', async () => {
    const [gone, stays] = [rig.fake.tenant().team(), rig.fake.tenant().team()];
    const channel = gone.channel();
    for (const each of [channel, stays.general]) await from(each);
    const other = rig.fake.tenant().person();
    await other.mentions(channel, 'How long?').delivery?.done;
    const kept = () => JSON.stringify([...rig.state]);
    await expect.poll(kept).toContain(`met ${tenant()} ${other.aadObjectId}`);
    expect(kept()).toContain(channel.id);
    for (const { done } of person.removes(channel)) await done;
    // Leaves out the records whose key contains the room's id, because the store itself deletes those.
    const rooms = rig.forgotten.map((each) => each.split(' ')[1] ?? '');
    const names = (key: string, room: string) =>
      key.split(' ').includes(room) || key.includes(JSON.stringify(room));
    const left = [...rig.state].filter(([key]) => !rooms.some((room) => names(key, room)));
    expect(JSON.stringify(left)).not.toContain(channel.id);
    expect(kept()).toContain(stays.id);
    expect(kept()).not.toContain(`met ${tenant()} ${other.aadObjectId}`);
  });

  test('of the app from a team’s list of members does the same', async () => {
    const { general } = rig.fake.tenant().team();
    await from(general);
    await person.sends(general, {
      type: 'conversationUpdate',
      membersRemoved: [{ id: rig.fake.app.botId }],
    }).done;
    expect(rig.forgotten).toEqual([`${tenant()} ${general.id}`]);
  });

  test('of a channel deletes the data of the channel', async () => {
    const channel = rig.fake.tenant().team().channel();
    await from(channel);
    const channelData = { eventType: 'channelDeleted' };
    await person.sends(channel, { type: 'conversationUpdate', channelData }).done;
    expect(rig.forgotten).toEqual([`${tenant()} ${channel.id}`]);
  });

  test.each([
    'private',
    'shared',
  ] as const)('from a %s channel deletes the data of the channel only', async (type) => {
    const team = rig.fake.tenant().team();
    const channel = team.channel({ type, members: [person] });
    await from(team.general);
    await person.installs(channel)[0]?.done;
    await expect.poll(() => written(channel)).toHaveLength(1);
    await from(channel);
    await person.removes(channel)[0]?.done;
    expect(rig.forgotten).toEqual([`${tenant()} ${channel.id}`]);
    expect(keptPlaces()).toHaveLength(1);
  });

  test.each([
    { type: 'installationUpdate', action: 'remove-upgrade' },
    { type: 'conversationUpdate', membersRemoved: [{ id: '29:somebody' }] },
    { type: 'conversationUpdate', channelData: { eventType: 'channelRenamed' } },
  ])('that does not concern the app deletes nothing: %j', async (fields) => {
    await from(person.dm());
    await person.sends(person.dm(), fields).done;
    expect(rig.forgotten).toEqual([]);
    expect(keptPlaces()).toHaveLength(1);
  });
});

describe('a refusal', () => {
  test('is sent to the person once, although Teams repeats the question', async () => {
    rig.kept = () => ({ kind: 'refused', tellUser: 'That is *too* long.' });
    const room = person.dm();
    const activity = await from(room);
    await rig.send(activity);
    await expect.poll(() => written(room).map(({ text }) => text)).toEqual(['That is \\*too\\* long.']);
    await rig.adapter.stop();
    expect(written(room)).toHaveLength(1);
  });
});

test('a stored address is checked again before each use (S15)', async () => {
  const room = person.dm();
  await from(room);
  const [key = ''] = keptPlaces();
  await rig.restart();
  rig.state.set(key, { kind: 'direct', serviceUrl: `${rig.fake.elsewhere.url}/`, bot: rig.fake.app.botId });
  const [taken] = rig.taken;
  if (taken?.kind !== 'ask') throw new Error('nothing was asked');
  const looked = rig.adapter.abilities.lookup?.complete(taken.message, new AbortController().signal);
  await expect(looked).rejects.toMatchObject({ code: 'channel-unavailable' });
  expect(rig.fake.elsewhere.requests).toEqual([]);
});
