/** Tests answers in a chat of Microsoft 365 Copilot: as streams that are never silent for long, and never by edits. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { copilotKey } from '../../../../adapters/teams/private.ts';
import type { Turn } from '../../../../src/kit.ts';
import type { Conversation } from '../../../fakes/teams/index.ts';
import { appPackage } from '../../../fakes/teams-app.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
let chat: Conversation;
let turn: Turn;

beforeEach(async () => {
  rig = await openRig();
  rig.fake.upload(appPackage(rig.fake.app.id, { allMessages: true, copilot: true }));
  const asked = rig.ask('group');
  chat = rig.fake.tenant().known(asked.message.sender.id).copilot();
  const thread = { ...asked.message.thread, room: chat.id, key: copilotKey(chat.id) };
  turn = { ...asked, message: { ...asked.message, thread } };
});
afterEach(() => rig.close());

const methods = () => rig.fake.log.calls.map(({ method }) => method).filter((method) => method !== 'token');
/** Lets time pass. The pacer looks at an open stream every 5 s. */
async function silence(play: Play, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    rig.pass(5_000);
    await play.rest();
  }
}
const texts = () => rig.fake.screen(chat).map(({ text }) => text.trim());

it('streams, and repeats what it shows while the agent is silent', async () => {
  const play = playIn(rig, { turn, reads: true });
  await play.show({});
  expect(methods()).toEqual(['stream']);
  await silence(play, 55_000);
  await play.show({ state: 'writing', text: 'One two' });
  await silence(play, 30_000);
  await play.show({ state: 'done', text: 'One two three.' });
  expect(texts().filter(Boolean)).toEqual(['One two three.']);
  expect(methods().filter((method) => method === 'stream').length).toBe(5);
  expect(methods()).not.toContain('update');
  expect(rig.fake.log.failed()).toEqual([]);
});

it('continues in a next message when a stream is old, and changes no message afterwards', async () => {
  const play = playIn(rig, { turn, reads: true });
  await play.show({ state: 'writing', text: 'The first part.\n\n' });
  await silence(play, 110_000);
  await play.show({ state: 'done', text: 'The first part.\n\nThe second part.' });
  expect(texts().filter(Boolean)).toEqual(['The first part.', 'The second part.']);
  await play.show({ sources: [{ key: 'a', title: 'Late', kind: 'document', fragments: [] }] });
  expect(methods().filter((method) => method === 'update' || method === 'delete')).toEqual([]);
  expect(rig.fake.log.failed()).toEqual([]);
});

it('posts the answer once, at its end, if Copilot refuses the stream', async () => {
  rig.fake.plant({
    kind: 'status',
    method: 'stream',
    status: 403,
    code: 'ContentStreamNotAllowed',
    message: 'Content stream is not allowed',
    count: 1,
  });
  const play = playIn(rig, { turn, reads: true });
  await play.show({ state: 'writing', text: 'One' });
  await play.show({ state: 'done', text: 'One two.' });
  expect(texts().filter(Boolean)).toEqual(['One two.']);
  expect(methods()).not.toContain('update');
});
