import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSourceLinker, findSource, sourceLifeMs } from '../../../src/bridge/web.ts';
import { turnId } from '../../../src/core/ids.ts';
import { begin } from '../../../src/core/live-reply/compose.ts';
import { createFinishedReplies } from '../../../src/core/stores/finished-replies.ts';
import { createSourceLinks } from '../../../src/web/source-links.ts';
import { message, source, thread, turn } from '../../fakes/samples.ts';

const clock = { now: () => 0, wait: async () => undefined };
const config = (over: { publicUrl?: string; sourceHours?: number } = {}) => ({
  server: {
    host: '127.0.0.1',
    port: 3000,
    trustedProxies: [],
    publicUrl: 'https://parley.example/chat/',
    sourceHours: 24,
    ...over,
  },
});
const { publicUrl: _, ...local } = config().server;

const manual = source({
  link: 'https://docs.example/manual',
  fragments: [{ text: 'The gear is checked twice.', score: 0.9 }],
});
const AT_PASSAGE = 'https://docs.example/manual#:~:text=The%20gear%20is%20checked%20twice.';
const of = { turn: turnId('turn-1'), thread: thread() };

const linksFor = (settings: Parameters<typeof sourceLifeMs>[0]) =>
  createSourceLinks(randomBytes(32), clock, sourceLifeMs(settings));

test('with a public address, a source of a room leads to a signed page that carries its own link', () => {
  const links = linksFor(config());
  const address = createSourceLinker(config(), links)(manual, of) ?? '';
  expect(address).toMatch(/^https:\/\/parley\.example\/chat\/sources\/[\w-]{80,}$/);
  expect(links.open(address.split('/').at(-1) ?? '')).toEqual({
    kind: 'valid',
    grant: { turn: 'turn-1', key: 'manual.pdf', link: AT_PASSAGE },
  });
});

test.each([
  ['without a public address', { server: local }, of.thread],
  ['where the pages are off', config({ sourceHours: 0 }), of.thread],
  ['in an answer for one person', config(), thread({ kind: 'direct' })],
])('%s, it leads to the document', (_what, settings, where) => {
  const linkOf = createSourceLinker(settings, linksFor(settings));
  expect(linkOf(manual, { ...of, thread: where })).toBe(AT_PASSAGE);
});

test('a source that is not a web page keeps its own link, or none', () => {
  const linkOf = createSourceLinker(config(), linksFor(config()));
  expect(linkOf(source({ link: 'mailto:ada@docs.example' }), of)).toBe('mailto:ada@docs.example');
  expect(linkOf(source(), of)).toBeUndefined();
  expect(createSourceLinker(config(), undefined)(manual, of)).toBe(AT_PASSAGE);
});

const document = {
  ...begin(turnId('turn-1')),
  state: 'done' as const,
  text: 'Twice [7].',
  sources: [manual],
};

async function shelved(where = thread()) {
  const values = new Map<string, unknown>();
  const finishedReplies = createFinishedReplies({
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, structuredClone(value)),
    delete: async (key) => void values.delete(key),
  });
  await finishedReplies.keep(turn({ message: message({ thread: where }) }), document);
  return finishedReplies;
}

const grant = { turn: turnId('turn-1'), key: 'manual.pdf', link: AT_PASSAGE };

test('the page shows the source with its number in the answer', async () => {
  expect(await findSource(await shelved(), grant)).toEqual({
    number: 1,
    title: 'Manual',
    passages: ['The gear is checked twice.'],
  });
});

test.each([
  'group',
  'room',
] as const)('a %s can read the answer, so its page shows passages', async (kind) => {
  expect(await findSource(await shelved(thread({ kind })), grant)).toBeDefined();
});

test('S17: a page shows no passages of a private or deleted answer, or of another source', async () => {
  expect(await findSource(await shelved(thread({ kind: 'direct' })), grant)).toBeUndefined();
  const finishedReplies = await shelved();
  expect(await findSource(finishedReplies, { ...grant, key: 'other.pdf' })).toBeUndefined();
  expect(await findSource(finishedReplies, { ...grant, turn: turnId('turn-2') })).toBeUndefined();
  await finishedReplies.forget(turnId('turn-1'));
  expect(await findSource(finishedReplies, grant)).toBeUndefined();
});
