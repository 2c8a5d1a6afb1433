/** Tests that what an agent stored on one platform is never used on another. */

import { expect, test } from 'vitest';
import { openMedia } from '../../../src/bridge/web.ts';
import type { Agent } from '../../../src/core/agents/agent.ts';
import { gatewayOfMain } from '../../../src/core/agents/routing.ts';
import { recordOn, storedRecord } from '../../../src/core/answer/late-sources.ts';
import { turnId } from '../../../src/core/ids.ts';
import { createSessions } from '../../../src/store/sessions.ts';
import { createMediaLinks } from '../../../src/web/media-links.ts';
import { agent, thread } from '../../fakes/samples.ts';
import { memoryKeyed } from '../slack/keyed.ts';

const opened: unknown[] = [];
const openingAgent = (name: string, platform?: string): Agent => ({
  ...agent(name, {
    openMedia: async (ref, { account }) => {
      opened.push([name, ref, account]);
      return { type: 'image/png', bytes: new Uint8Array() };
    },
  }),
  ...(platform !== undefined && { platform }),
});
const directoryOf = (...agents: readonly Agent[]) => ({
  agents: new Map(agents.map((each) => [each.name, each])),
  fallback: agent('books').name,
});
const signal = new AbortController().signal;

test.each([
  ['main', undefined, undefined, 'ada', true],
  ['the same platform, without an account', 'lab', 'lab', undefined, true],
  ['main, by an agent that has moved away', 'lab', undefined, undefined, false],
  ['another platform, by an agent that has moved to main', undefined, 'lab', undefined, false],
])('an image of %s', async (_, platform, of, account, isOpened) => {
  opened.length = 0;
  const ref = { kind: 'file-id', id: '7', ...(of !== undefined && { platform: of }) } as const;
  const links = createMediaLinks(Buffer.alloc(32, 7), { now: () => 0, wait: async () => undefined });
  const { name } = agent('books');
  const sealed = links.seal(
    { id: 'm', kind: 'image', name: 'plan', ref },
    { turn: turnId('t'), agent: name },
  );
  const link = links.open(sealed ?? '');
  if (link.kind !== 'valid') throw new Error(link.kind);
  const directory = directoryOf(openingAgent('books', platform));
  const opening = openMedia(directory, { ...link.grant, account: 'ada' }, signal);
  if (!isOpened) await expect(opening).rejects.toMatchObject({ code: 'media-unavailable' });
  else await opening;
  expect(opened).toEqual(isOpened ? [['books', ref, account]] : []);
});

test('a record is known only on its platform, and those of main are stored as before', () => {
  expect([storedRecord(undefined, 'r1'), storedRecord('lab', 'r1')]).toEqual(['r1', 'lab\nr1']);
  const on = (platform: string | undefined) =>
    ['r1', 'lab\nr1', undefined].map((stored) => recordOn(platform, stored));
  expect(on(undefined)).toEqual(['r1', undefined, undefined]);
  expect(on('lab')).toEqual([undefined, 'r1', undefined]);
});

test('a session belongs to one platform, and the keys of main are those of versions with one platform', async () => {
  const keyed = memoryKeyed();
  const sessions = createSessions(keyed);
  const key = { thread: thread(), agent: agent('books').name };
  await sessions.save(key, { session: 's1', history: [] });
  expect(await keyed.get('["memory","acme","general","t1","books",null]')).toMatchObject({ session: 's1' });
  expect(await sessions.find({ ...key, platform: 'lab' })).toBeUndefined();
  await sessions.save({ ...key, platform: 'lab' }, { session: 's2', history: [] });
  expect(await sessions.find(key)).toMatchObject({ session: 's1' });
});

test('accounts are checked only on main', () => {
  const [books, lab] = [openingAgent('books'), openingAgent('lab', 'lab')];
  expect(gatewayOfMain(directoryOf(lab, books), lab)).toBe(books.gateway);
  expect(gatewayOfMain(directoryOf(lab, books), books)).toBe(books.gateway);
  expect(gatewayOfMain(directoryOf(lab), lab)).toBeUndefined();
});
