/**
 * Tests documents that people share in their chat with the app: stored as configured, used for answers, and removed
 * again.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Conversation,
  type FakePerson,
  type FakeTeams,
  startFakeTeams,
} from '../../fakes/teams/index.ts';
import { openStage, type Stage } from '../house/teams-stage.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 100 });
const DOCUMENT = {
  name: 'kettle.md',
  bytes: Buffer.from('# Kettle\n\nThe zephyr kettle is descaled on Fridays.\n'),
};

let fake: FakeTeams;
let stage: Stage;
let person: FakePerson;
let chat: Conversation;

beforeAll(async () => {
  fake = await startFakeTeams();
  // The rule applies to all personal chats, because their ids are not known in advance.
  const rooms = [{ channel: 'teams', kind: 'direct', workspace: 'folder', account: 'admin' }];
  stage = await openStage(fake, {}, { rooms, files: 'upload' });
  person = fake.tenant().person({ name: 'Engineer' });
  chat = person.dm();
});
afterAll(async () => {
  await stage?.close();
  await fake.close();
});

const said = () => JSON.stringify(fake.screen(chat).filter(({ by }) => by === 'app'));

test('a document shared with a question is stored in the workspace, and the question is asked with it', async () => {
  person.says(chat, 'When is the zephyr kettle descaled?', { files: [DOCUMENT] });
  await eventually(said).toContain('was added to folder');
  await eventually(said).toContain('Fridays');
  expect(said()).toContain('within ten minutes');
});

test('the same document is not stored twice', async () => {
  person.says(chat, 'And when is the zephyr kettle descaled again?', { files: [DOCUMENT] });
  await eventually(said).toContain('is already in folder');
});

test('"undo" removes it again', async () => {
  person.says(chat, 'undo');
  await eventually(said).toMatch(/Removed: .{0,9}kettle/);
});

test('documents in a group chat, for which there is no rule, are not stored', async () => {
  const group = fake.tenant().chat();
  person.mentions(group, 'When is the zephyr kettle descaled?', { files: [DOCUMENT] });
  await eventually(() => JSON.stringify(fake.screen(group))).toMatch(/parley\.regenerate/);
  expect(JSON.stringify(fake.screen(group))).not.toContain('was added to');
  expect(fake.log.violations).toEqual([]);
});
