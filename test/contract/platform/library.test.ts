import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, sandboxCatalogue } from '../../../sandbox/index.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Library } from '../../../src/core/agents/library.ts';
import { createLibrary, createPlatform, type Platform } from '../../../src/platform/index.ts';
import { Secret } from '../../../src/secret.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { addFault, CORPUS, start } from '../sandbox/support.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const signal = new AbortController().signal;
let sandbox: RunningSandbox;
let platform: Platform;
let library: Library;
let store: Store;

beforeAll(async () => {
  store = await openStore({ file: ':memory:', clock: systemClock, log });
  sandbox = await start({ knowledge: [CORPUS] });
  await sandbox.indexed;
  platform = createPlatform({ baseUrl: sandbox.url }, { clock: systemClock, log, random: Math.random });
  const { client, secret } = sandboxCatalogue.openClient;
  library = createLibrary(
    platform.client({
      open: { kind: 'client-account', client, secret: new Secret(secret), account: 'member-one' },
    }),
    store.keyed('documents'),
  );
});
afterAll(async () => {
  await platform.close();
  await store.close();
  await sandbox.close();
});

it('a search returns passages grouped by document, the best first', async () => {
  const sources = await library.search('hotel limit abroad', {}, { signal });
  const [best] = sources;
  expect(best?.source.title).toContain('ravel');
  expect(best?.source.fragments[0]?.text).toMatch(/hotel/i);
  expect(best?.source.link).toContain(sandbox.url);
  expect(new Set(sources.map(({ source }) => source.key)).size).toBe(sources.length);
});

it('the library shows only the workspaces and files of the account in use', async () => {
  const own = await library.workspaces({ signal });
  const seen = own.find(({ files = 0 }) => files > 3);
  const { files, total } = await library.files(seen?.name ?? '', 3, { signal });
  expect(files[0]?.link).toContain('/share/document/');
  expect(files.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  expect(total).toBeGreaterThan(3);
  const everything = await library.workspaces({ signal, account: 'admin' });
  expect(everything.length).toBeGreaterThanOrEqual(own.length);
  await expect(library.files('No such workspace', 3, { signal })).rejects.toMatchObject({
    code: 'platform-parameter',
  });
});

it('a document is added once by content, can be found after indexing, and can be removed', async () => {
  const [workspace] = (await library.workspaces({ signal, account: 'admin' })).map(({ name }) => name);
  const call = { signal, account: 'admin' };
  const bytes = new TextEncoder().encode('# Quokkas\n\nThe office quokka eats two leaves of mint a day.\n');
  const document = { name: 'Quokkas.md', type: 'text/markdown', bytes };
  const where = workspace ?? '';
  const added = await library.add(document, where, call);
  expect(added.known).toBe(false);
  await expect.poll(() => library.stateOf(added.id, where, call)).toBe('ready');
  const [found] = await library.search('What does the office quokka eat?', { workspace: where }, call);
  expect(found?.source.title).toContain('Quokkas');
  expect(await library.add({ ...document, name: 'Again.md' }, where, call)).toEqual({
    id: added.id,
    workspace: expect.stringMatching(/^\d{19}$/),
    known: true,
  });
  await library.remove(added.id, where, call);
  expect(await library.stateOf(added.id, where, call)).toBeUndefined();
  expect((await library.add(document, where, call)).known).toBe(false);
});

describe('a question-answer pair', () => {
  const pair = { question: 'Where is the key?', answer: 'Under the mat.' };
  const stored = async () =>
    (await (await fetch(`${sandbox.url}/__inspect/pairs`)).json()) as readonly { questions: string[] }[];

  it('is stored in the workspace as the account', async () => {
    expect(await library.addPair(pair, 'handbook', { signal, account: 'admin' })).toBe('stored');
    expect(await stored()).toEqual([
      expect.objectContaining({ questions: [pair.question], answer: pair.answer, createdBy: 'admin' }),
    ]);
  });

  it.each([
    ['an error of the server', { fault: 'F01', status: 500 }],
    ['a lost connection', { fault: 'F02' }],
  ])('is unconfirmed after %s, and is not sent again', async (_, fault) => {
    await addFault(sandbox, { ...fault, route: 'createQna', count: 1 });
    expect(await library.addPair(pair, 'handbook', { signal, account: 'admin' })).toBe('unconfirmed');
  });

  it('is refused for a workspace that the account cannot see', async () => {
    await expect(library.addPair(pair, 'nowhere', { signal })).rejects.toMatchObject({
      code: 'platform-parameter',
    });
  });
});
