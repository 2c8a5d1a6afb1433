import { afterEach, describe, expect, test } from 'vitest';
import type { Library, LibraryDocument, LibraryFile } from '../../../../src/core/agents/library.ts';
import type { Message } from '../../../../src/core/message.ts';
import type { CoreEvent } from '../../../../src/core/turn-events.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { person } from '../../../fakes/samples.ts';
import { createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

const PNG = Uint8Array.from('\x89PNG\r\n\x1a\n', (mark) => mark.charCodeAt(0));
const ROOM = { account: 'room@p', workspace: 'Manuals' };
let world: World;
afterEach(() => world.close());

interface Held {
  readonly document: LibraryDocument;
  readonly at: number;
  readonly account?: string | undefined;
}

/** A library that indexes a document in `readMs` milliseconds. After that, the document has the given state. */
function shelves(readMs = 3_000, state: LibraryFile['state'] = 'ready') {
  const held = new Map<string, Held>();
  let added = 0;
  const library: Library = {
    search: async () => [],
    files: async () => ({ files: [], total: 0 }),
    workspaces: async () => [],
    addPair: async () => 'stored',
    async add(document, _workspace, { account, signal }) {
      await world.clock.wait(1_000, signal);
      const text = String(document.bytes);
      const known = [...held].find(([, one]) => String(one.document.bytes) === text);
      if (known !== undefined) return { id: known[0], workspace: 'w1', known: true };
      added += 1;
      held.set(`file ${added}`, { document, at: world.clock.now(), account });
      return { id: `file ${added}`, workspace: 'w1', known: false };
    },
    async stateOf(id) {
      const one = held.get(id);
      if (one === undefined) return undefined;
      return world.clock.now() - one.at >= readMs ? state : 'indexing';
    },
    remove: async (id) => void held.delete(id),
  };
  return { library, held };
}

function open(library: Library | undefined, options: Partial<WorldOptions> = {}) {
  const agent = createScriptedAgent({
    name: 'books',
    script: () => [{ say: 'Two years.' }],
    seesImages: true,
  });
  world = createWorld({ agents: [agent], room: ROOM, ...(library && { library }), ...options });
  world.channel.files.set('plan', new TextEncoder().encode('# The plan'));
  world.channel.files.set('pdf', new TextEncoder().encode('%PDF-1.7'));
  world.channel.files.set('image', PNG);
  return agent;
}
const plan = { id: 'plan', name: 'plan.md', type: 'text/markdown', bytes: 10 };
const pdf = { id: 'pdf', name: 'plan.pdf', type: 'application/pdf', bytes: 10 };
const image = { id: 'image', name: 'image.png', type: 'image/png', bytes: 8 };
async function share(process: Process, over: Partial<Message> = {}, passMs = 20_000) {
  const turn = await ask(process, `See this ${world.clock.now()}`, { files: [plan], ...over });
  await world.clock.pass(passMs);
  return seen(world.channel, turn).document;
}

const detailsOf = (name: CoreEvent['name']) =>
  world.events.filter((event) => event.name === name).map(({ detail }) => detail);

describe('a document shared with a question', () => {
  test('is uploaded to the room’s knowledge workspace with progress before the question is asked', async () => {
    const { library, held } = shelves();
    const agent = open(library);
    const process = await world.boot();
    const document = await share(process, { files: [plan, image] });
    expect([...held.values()]).toMatchObject([{ document: { name: 'plan.md' }, account: 'room@p' }]);
    expect(agent.askings[0]?.at).toBeGreaterThanOrEqual(4_000);
    expect(agent.uploads).toHaveLength(1);
    expect(agent.askings[0]?.question.documents).toEqual([{ id: 'file 1', workspace: 'w1' }]);
    expect(document).toMatchObject({
      state: 'done',
      steps: [{ name: 'plan.md', detail: 'ready', state: 'done' }],
      notices: [{ tone: 'info', text: expect.stringContaining('added to Manuals. Send "undo"') }],
    });
    const details = world.channel.showings.flatMap(({ document: { steps } }) =>
      steps.map(({ detail, state }) => `${detail}: ${state}`),
    );
    expect([...new Set(details)]).toEqual([
      'being uploaded: running',
      'uploaded, being indexed: running',
      'ready: done',
    ]);
    expect(detailsOf('document')).toEqual([{ known: false, state: 'ready' }]);
  });

  test('has its own step beside others', async () => {
    const { library } = shelves();
    open(library);
    world.channel.files.set('other', new TextEncoder().encode('# Another'));
    const document = await share(await world.boot(), {
      files: [plan, { ...plan, id: 'other', name: 'b.md' }],
    });
    expect(document.steps).toMatchObject([
      { name: 'plan.md', state: 'done' },
      { name: 'b.md', state: 'done' },
    ]);
  });

  test('that is there already is not sent again and cannot be undone', async () => {
    const { library, held } = shelves();
    open(library);
    const process = await world.boot();
    await share(process);
    world.clock.jump(11 * 60_000);
    expect((await share(process)).notices).toMatchObject([{ text: expect.stringContaining('already') }]);
    expect((await share(process, { text: 'undo', files: [] })).text).toContain('nothing to undo');
    expect(held.size).toBe(1);
  });

  test('can be undone for ten minutes by the person who shared it', async () => {
    const { library, held } = shelves();
    open(library);
    const process = await world.boot();
    await share(process);
    const bo = person({ id: 'bo' });
    expect((await share(process, { id: 'u1', text: 'undo', files: [], sender: bo })).text).toContain(
      'Only the person',
    );
    expect((await share(process, { id: 'u2', text: 'undo', files: [] })).text).toContain('Removed: plan.md');
    expect(held.size).toBe(0);
    await share(process);
    world.clock.jump(10 * 60_000);
    expect((await share(process, { id: 'u3', text: 'undo', files: [] })).text).toContain('nothing to undo');
    expect(held.size).toBe(1);
  });

  test('that is indexed slowly is waited for at most a minute, and the answer comes without it', async () => {
    open(shelves(200_000).library);
    const process = await world.boot();
    const document = await share(process, {}, 90_000);
    expect(document.state).toBe('done');
    expect(document.notices[0]).toMatchObject({
      tone: 'warning',
      text: expect.stringContaining('still being indexed'),
    });
  });

  test('is checked after 1, 2, 4 and then every 8 s', async () => {
    const { library: slow } = shelves(200_000);
    const looks: number[] = [];
    open({
      ...slow,
      stateOf: (...call) => {
        looks.push(world.clock.now());
        return slow.stateOf(...call);
      },
    });
    await share(await world.boot(), {}, 90_000);
    expect(looks.map((at) => (at - (looks[0] ?? 0)) / 1_000)).toEqual([0, 1, 3, 7, 15, 23, 31, 39, 47, 55]);
  });

  test('that disappears from the library counts as unreadable', async () => {
    const { library: forgetful } = shelves();
    open({ ...forgetful, stateOf: async () => undefined });
    const { notices } = await share(await world.boot());
    expect(notices).toMatchObject([
      { tone: 'warning', text: expect.stringContaining('could not be indexed') },
    ]);
  });

  test('is deleted under the account of its upload', async () => {
    const removed: unknown[] = [];
    const { library: noting } = shelves();
    open({
      ...noting,
      remove: async (id, workspace, { account }) => void removed.push([id, workspace, account]),
    });
    const process = await world.boot();
    await share(process);
    await share(process, { id: 'u1', text: 'undo', files: [] });
    expect(removed).toEqual([['file 1', 'Manuals', 'room@p']]);
  });

  test('that cannot be remembered only loses its undo', async () => {
    const { library } = shelves();
    open(library);
    const process = await world.boot({
      wrapKeyed: (keyed) => ({
        ...keyed,
        set: async (key, value, ttlMs, owner) => {
          if (JSON.stringify(value).includes('"uploads"'))
            throw new BridgeError('store-unavailable', 'disk full');
          await keyed.set(key, value, ttlMs, owner);
        },
      }),
    });
    expect((await share(process)).state).toBe('done');
    expect(detailsOf('trouble')).toEqual([{ code: 'store-unavailable', what: 'undo' }]);
  });

  test('that cannot be read, or is refused, causes a notice and not a failure', async () => {
    open(shelves(1_000, 'failed').library);
    const process = await world.boot();
    expect(await share(process)).toMatchObject({ state: 'done', steps: [{ state: 'failed' }] });
    const refusing = {
      ...shelves().library,
      add: () => Promise.reject(new BridgeError('platform-permission', 'no')),
    };
    world.close();
    open(refusing);
    const refused = await share(await world.boot());
    expect(refused.notices[0]?.text).toContain(
      '"plan.md" was not sent to the agent. The agent platform does not allow',
    );
    expect(refused).toMatchObject({
      state: 'done',
      notices: [{ tone: 'warning' }],
      steps: [{ detail: 'could not be uploaded', state: 'failed' }],
    });
    expect(detailsOf('trouble')).toEqual([{ code: 'platform-permission', what: 'document' }]);
  });

  test.each<[string, Partial<WorldOptions>]>([
    ['the settings do not allow it', { access: { files: 'off' } }],
    ['the room has no workspace', { room: {} }],
  ])('is not uploaded when %s: a text is quoted, another document is not sent, with a notice', async (_, options) => {
    const { library, held } = shelves();
    const agent = open(library, options);
    const process = await world.boot();
    expect((await share(process)).notices).toEqual([]);
    expect(agent.askings[0]?.question.quoted).toEqual([
      { author: 'plan.md', text: '# The plan', kind: 'file' },
    ]);
    const document = await share(process, { id: 'u2', files: [pdf] });
    expect(document.notices).toMatchObject([
      { text: expect.stringContaining('"plan.pdf" was not sent to the agent') },
    ]);
    expect([document.state, held.size]).toEqual(['done', 0]);
  });

  test('is not uploaded without a library', async () => {
    open(undefined);
    expect((await share(await world.boot(), { files: [pdf] })).notices).toMatchObject([
      { text: expect.stringContaining('"plan.pdf" was not sent to the agent') },
    ]);
    expect(detailsOf('trouble')).toEqual([]);
  });

  test('does not block a stop during its upload', async () => {
    const agent = open(shelves(30_000).library);
    const process = await world.boot();
    const turn = await ask(process, 'See this', { files: [plan] });
    await world.clock.pass(5_000);
    await process.intake({ kind: 'stop', thread: seenThread(), by: person() });
    await world.clock.pass(1_000);
    expect(seen(world.channel, turn).document.state).toBe('stopped');
    expect(agent.askings).toEqual([]);
  });

  test.each([
    500, 1_500, 3_500,
  ])('is uploaded once despite kill -9, %d ms after it was shared', async (after) => {
    const { library, held } = shelves();
    open(library);
    const process = await world.boot();
    const turn = await ask(process, 'See this', { files: [plan] });
    await world.clock.pass(after);
    process.kill();
    await world.boot();
    await world.clock.pass(60_000);
    expect(held.size).toBe(1);
    expect(seen(world.channel, turn).document.state).toBe('done');
  });
});

const seenThread = () =>
  ({ channel: 'memory', tenant: 'acme', room: 'general', key: 't1', kind: 'room' }) as const;
