/** Tests attacks S13 and S22 from outside: forged requests, floods, and requests that never end. */

import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Rig, startRig } from '../rig.ts';

let rig: Rig;
let activity: Record<string, unknown>;
beforeEach(async () => {
  rig = await startRig();
  const person = rig.fake.tenant().person();
  const { delivery } = person.says(person.dm(), 'How long is the notice period, and who tells me?');
  await delivery?.done;
  activity = { ...delivery?.activity };
  rig.taken.splice(0);
});
afterEach(() => rig.close());

function opened(headers: Readonly<Record<string, string>>): Promise<Socket> {
  const { port } = new URL(rig.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve) => {
    socket.write(`POST /api/messages HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`, () => resolve(socket));
  });
}

test('S13, S22: Teams is answered during a flood of forged requests and requests that never end', async () => {
  const proven = rig.fake.inbound.authorize(activity);
  const bad = rig.fake.inbound.bad('foreign-key', activity);
  const slow = await Promise.all(
    Array.from({ length: 200 }, () => opened({ authorization: proven, 'content-length': '5000' })),
  );
  const flood = Array.from({ length: 300 }, (_, nth) =>
    rig.post('x'.repeat(10_000), nth % 2 === 0 ? bad.authorization : 'Bearer nothing'),
  );
  expect((await rig.send(activity)).status).toBe(200);
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
  expect(rig.taken).toHaveLength(1);
  for (const socket of slow) socket.destroy();
});

test.each([
  ['two tokens', (header: string) => `${header}, ${header}`],
  ['another scheme', (header: string) => header.replace('Bearer', 'Basic')],
  ['another case', (header: string) => header.replace('Bearer', 'bearer')],
  ['a space too many', (header: string) => header.replace('Bearer ', 'Bearer  ')],
  ['a part too many', (header: string) => `${header}.x`],
  ['no signature', (header: string) => header.replace(/\.[^.]*$/, '.')],
  ['a long token', (header: string) => `${header}${'A'.repeat(9_000)}`],
])('responds 401: %s', async (_, change) => {
  const header = change(rig.fake.inbound.authorize(activity));
  expect((await rig.post(activity, header)).status).toBe(401);
  expect(rig.taken).toEqual([]);
});

test.each([
  ['a token without an end', { exp: undefined }],
  ['a token for all time', { exp: 'never' }],
  ['a token of several audiences', { aud: ['another', 'app'] }],
  ['a token of a skill', { ver: '1.0', appid: '11111111-2222-4333-8444-555555555555' }],
  ['an anonymous skill', { appid: 'AnonymousSkill' }],
])('responds 401, although Microsoft signed it: %s', async (_, claims) => {
  const header = rig.fake.inbound.authorize(activity, { claims });
  expect((await rig.post(activity, header)).status).toBe(401);
  expect(rig.taken).toEqual([]);
});

test('an echo of the app’s own message is ignored (F25)', async () => {
  const echo = { ...activity, from: { id: rig.fake.app.botId, name: 'Parley', role: 'bot' } };
  expect((await rig.send(echo)).status).toBe(200);
  expect(rig.taken).toEqual([]);
});

test('a reply before its root, and a deletion before its question, are stored as they arrive (F25)', async () => {
  const person = rig.fake.tenant().person();
  const channel = rig.fake.tenant().team().channel();
  rig.fake.deliverTo('http://127.0.0.1:1/nobody');
  const root = person.mentions(channel, 'How long?');
  const reply = person.mentions(channel, 'And why?', { thread: root.message.id });
  const deleted = person.deletes(root.message);
  for (const delivery of [deleted, reply.delivery, root.delivery]) {
    expect((await rig.send({ ...delivery?.activity })).status).toBe(200);
  }
  expect(rig.taken.map(({ kind }) => kind)).toEqual(['delete', 'ask', 'ask']);
  const threads = rig.taken.flatMap((taken) => (taken.kind === 'ask' ? [taken.message.thread.key] : []));
  expect(new Set(threads)).toEqual(new Set([root.message.id]));
});
