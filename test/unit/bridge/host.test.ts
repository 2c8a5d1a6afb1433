import { expect, test } from 'vitest';
import { type HostDeps, makeHost } from '../../../src/bridge/host.ts';
import { createAccountTable } from '../../../src/core/agents/access.ts';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { laneOf, replyLane } from '../../../src/core/message.ts';
import { createMediaLinks } from '../../../src/web/media-links.ts';
import { screenOf } from '../../fakes/memory-channel.ts';
import { permissionsOf } from '../../fakes/permissions.ts';
import { agent, thread, turn } from '../../fakes/samples.ts';

const person = agent('person');
const key = { ...agent('key'), oneAccount: true as const };

/** The parts of the bridge that the host reads when it is created. */
const deps = {
  adapter: { name: 'memory' },
  directory: { agents: new Map([person, key].map((each) => [each.name, each])), fallback: person.name },
  budgets: {},
  permissions: permissionsOf(),
  room: ({ room }: { room: string }) => (room === 'open' ? { mention: 'open' } : {}),
  accounts: createAccountTable([{ email: 'ada@acme.example', account: 'ada@p' }]),
};
const makeWith = (more: object) =>
  makeHost({} as Parameters<typeof makeHost>[0], { ...deps, ...more } as unknown as HostDeps);
const host = makeWith({});

test('"Ask as me" means other rights only of an agent that can run as several accounts', () => {
  expect(host.otherRights(thread(), { agent: person.name })).toBe(true);
  expect(host.otherRights(thread(), { agent: person.name, account: 'ada@p' })).toBe(false);
  expect(host.otherRights(thread(), { agent: key.name })).toBe(false);
  expect(host.otherRights(thread(), { agent: agentName('gone') })).toBe(false);
  expect(host.otherRights(thread(), {})).toBe(false);
  expect(host.otherRights(thread({ kind: 'direct' }), { agent: person.name })).toBe(false);
});

test('in a room without settings, follow-ups need no mention while the asker is alone with the bridge', () => {
  expect(host.mentionRule(thread())).toBe('alone');
  expect(host.mentionRule(thread({ room: 'open' }))).toBe('open');
});

test('an image whose address makes its link too long gets no link', () => {
  const links = createMediaLinks(Buffer.alloc(32, 7), { now: () => 0, wait: async () => undefined });
  const of = { turn: turnId('t'), agent: person.name };
  const image = (url: string) =>
    ({ id: 'm', kind: 'image', name: 'plan', ref: { kind: 'url', url } }) as const;
  const open = (publicUrl?: string) => makeWith({ web: { links }, publicUrl });
  const plan = image('https://x.example/plan.png');
  const long = image(`https://x.example/${'x'.repeat(8_192)}`);
  const { link, linkPath } = open('https://parley.example');
  expect(linkPath(plan, of)).toMatch(/^\/media\/[\w-]{50,}$/);
  expect(link(plan, of)).toMatch(/^https:\/\/parley\.example\/media\/[\w-]{50,}$/);
  expect([link(long, of), linkPath(long, of)]).toEqual([undefined, undefined]);
  // Without a public address, only a page of the bridge itself can show the image.
  expect(open().link(plan, of)).toBeUndefined();
  expect(open().linkPath(plan, of)).toMatch(/^\/media\//);
});

test('the messages of a thread’s other replies are found for a turn in a lane of its own, too', async () => {
  const own = turn();
  const screens = [own.id, turnId('other')].map((reply) => ({
    reply,
    screen: screenOf(`message of ${reply}`),
  }));
  const inbox = {
    screensIn: async (lane: string) => (lane === laneOf(own.message.thread) ? screens : []),
  };
  const asking = makeWith({ inbox });
  const retry = { ...own, lane: replyLane(own.id) };
  expect([...(await asking.messagesOfOthers(retry, 0))]).toEqual(['message of other']);
});
