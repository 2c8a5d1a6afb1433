import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  type Conversation,
  type FakePerson,
  type FakeTeams,
  type Message,
  startFakeTeams,
} from '../fakes/teams/index.ts';
import { bothVersions, eventually, QUESTION, SLOW } from './versions.ts';

let fake: FakeTeams;
let room: Conversation;
let engineer: FakePerson;

const versions = bothVersions(
  async (data) => {
    fake = await startFakeTeams();
    const tenant = fake.tenant();
    room = tenant.team().channel();
    engineer = tenant.person({ name: 'Engineer' });
    const config = join(data.path, 'parley.yaml');
    writeFileSync(config, JSON.stringify({ teams: { services: fake.services } }));
    return {
      PARLEY_CONFIG: config,
      MICROSOFT_APP_ID: fake.app.id,
      MICROSOFT_APP_TENANT_ID: tenant.id,
      MICROSOFT_APP_PASSWORD: [...fake.app.secrets][0] ?? '',
    };
  },
  ({ url }) => fake.deliverTo(`${url}/api/messages`),
);
afterAll(() => fake?.close());

const posts = (place: Conversation, root?: string): readonly Message[] =>
  fake
    .messages(place)
    .filter(({ person, deletedAt }) => person === undefined && deletedAt === undefined)
    .filter((each) => root === undefined || each.root === root);

/** Returns the newest message of a reply that has a button with this title. */
async function offering(title: string, place: Conversation, root?: string): Promise<Message> {
  const find = () =>
    posts(place, root).findLast((each) => engineer.offers(each).some((one) => one.startsWith(title)));
  await eventually(find).toBeDefined();
  const found = find();
  if (found === undefined) throw new Error(`No message offers ${title}.`);
  return found;
}

const read = (place: Conversation, root?: string): string =>
  fake
    .screen(place)
    .filter((seen) => seen.by === 'app' && (root === undefined || seen.root === root))
    .map(({ text }) => text)
    .join('\n');

test('edited and streamed replies that a kill interrupted are finished, and buttons of ended replies work', async () => {
  const asked = engineer.mentions(room, QUESTION).message.id;
  const ended = await offering('Regenerate', room, asked);
  const own = engineer.dm();
  const edited = engineer.mentions(room, SLOW).message.id;
  engineer.says(own, SLOW);
  await eventually(() => read(room, edited)).toContain('tell me every');
  await eventually(() => read(own)).toContain('tell me every');
  const texts = posts(room, edited).map(({ id }) => id);
  await versions.takeOver();

  for (const [place, root] of [
    [room, edited],
    [own, undefined],
  ] as const) {
    await engineer.presses(await offering('Retry', place, root), 'Retry').answer;
    await offering('Regenerate', place, root);
    expect(read(place, root)).toContain('take your time with it');
    expect(read(place, root).match(/tell me everything/g)).toHaveLength(1);
  }
  expect(posts(room, edited).map(({ id }) => id)).toEqual(expect.arrayContaining(texts));

  const sources = engineer.offers(ended).find((title) => title.startsWith('Sources')) ?? '';
  await engineer.presses(ended, sources).answer;
  expect(JSON.stringify(engineer.cards(ended))).toContain('Passage 1 of');
  await engineer.presses(ended, 'Back to the answer').answer;
  await engineer.presses(ended, 'Regenerate').answer;
  await eventually(() => JSON.stringify(engineer.cards(ended))).toContain('Version 2 of 2');
  await engineer.presses(ended, '‹').answer;
  await eventually(() => JSON.stringify(engineer.cards(ended))).toContain('Version 1 of 2');
  expect(fake.log.violations).toEqual([]);
});
