/**
 * What everyone must see, whichever process they reach: on the file of one process, and between two processes that share
 * a PostgreSQL database. In each test, `a` writes and `b` reads.
 */

import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { moveChat } from '../../../adapters/console/chat/move.ts';
import type {
  ConsoleState,
  FileView,
  RoomPage,
  RoomView,
  SearchView,
  ThreadPage,
  UnreadView,
} from '../../../adapters/console/wire.ts';
import { systemClock } from '../../../src/clock.ts';
import type { SharedDatabase } from '../../../src/kit/ladder.ts';
import { turnId } from '../../../src/kit.ts';
import { openSharedStore, type Store } from '../../../src/store/index.ts';
import { freePort } from '../../bench/free-ports.ts';
import { openProvider } from '../../fakes/oidc/provider.ts';
import { startProxy } from '../../fakes/postgres/proxy.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { quiet } from '../../fakes/quiet.ts';
import { memoryKeyed } from '../slack/keyed.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { documentOf, follow, json, openRig, type Rig, show, turnOf } from './rig.ts';

interface Pair {
  readonly a: Rig;
  readonly b: Rig;
  close(): Promise<void>;
}

async function openAlone(): Promise<Pair> {
  const rig = await openRig();
  return { a: rig, b: rig, close: rig.close };
}

function openShared(postgres: () => PostgresServer) {
  return async (): Promise<Pair & { readonly stores: readonly Store[] }> => {
    const address = await postgres().database();
    const open = () => openSharedStore({ address, installation, clock: systemClock, log: quiet });
    const stores = [await open(), await open()];
    const [a, b] = await Promise.all(stores.map(({ database }) => openRig(database ? { database } : {})));
    if (!a || !b) throw new Error('no rig');
    const close = async () => {
      for (const rig of [a, b]) await rig.close();
      for (const store of stores) await store.close();
    };
    return { a, b, close, stores };
  };
}

function sharedChat(name: string, open: () => Promise<Pair>): void {
  describe(name, () => {
    let pair: Pair;
    beforeEach(async () => {
      pair = await open();
    });
    afterEach(() => pair.close());
    const rootsAt = async ({ get }: Rig, room = 'general') =>
      (await get<RoomPage>(`/console/rooms/${encodeURIComponent(room)}`)).messages;
    const hits = async ({ post }: Rig, text: string, as = 'designer') =>
      (await post<SearchView>('/console/search', { as, text })).hits.map(({ snippet }) => snippet.join(''));
    const unread = async ({ post }: Rig, as = 'designer') =>
      (await post<UnreadView>('/console/unread', { as })).messages.map(({ id }) => id);

    it('shows messages, threads, edits and deletions, and pages of them', async () => {
      const { a, b } = pair;
      const stream = await follow(b);
      const root = await a.say('general', { text: 'Where is the pump?' });
      const answer = await a.say('general', { text: 'In hall 2 \0 \ud800', thread: root.id });
      expect(await rootsAt(b)).toMatchObject([{ id: root.id, answers: 1, lastAt: answer.at }]);
      await stream.until(
        (one) => one.type === 'message' && one.message.id === root.id && one.message.answers === 1,
      );
      await a.post(`/console/messages/${answer.id}/edit`, { as: 'engineer', text: 'In hall 3' });
      const { messages } = await b.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
      expect(messages.map(({ text, edited }) => [text, edited])).toEqual([
        ['Where is the pump?', undefined],
        ['In hall 3', true],
      ]);
      await b.post(`/console/messages/${answer.id}/delete`, { as: 'engineer' });
      await stream.until((one) => one.type === 'removed' && one.id === answer.id);
      expect(await rootsAt(a)).toEqual([{ ...root, seq: expect.any(Number) }]);
      const seqs = stream.events.map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
      stream.close();
    });

    it('posts a message with the same nonce once, wherever it arrives', async () => {
      const { a, b } = pair;
      const said = await Promise.all(
        [a, b, a, b].map((rig) => rig.say('general', { text: 'once', nonce: 'n' })),
      );
      expect(new Set(said.map(({ id }) => id)).size).toBe(1);
      expect(await rootsAt(b)).toHaveLength(1);
    });

    it('shows a growing answer, and a page that comes back elsewhere misses nothing and gets nothing twice', async () => {
      const { a, b } = pair;
      await a.say('general', { text: '@knowledge hi' });
      const turn = turnOf(a.host.taken[0], 't1');
      const { seq } = await a.get<ConsoleState>('/console/state');
      const common = { state: 'writing' } as const;
      const held = await show(a, turn, [documentOf(turn, { version: 1, ...common, text: 'One' })]);
      await show(a, held, [documentOf(turn, { version: 2, ...common, text: 'One two' })]);
      const stream = await follow(b, seq);
      const done = documentOf(turn, { version: 3, state: 'done', text: 'One two three' });
      // Another process ends the answer.
      await show(b, held, [done]);
      await stream.until((one) => one.type === 'message' && one.message.reply?.state === 'done');
      const grown = stream.events.flatMap((one) => (one.type === 'reply' && one.text ? [one.text] : []));
      expect(grown).toEqual([{ at: 3, text: ' two' }]);
      expect(new Set(stream.events.map((one) => one.seq)).size).toBe(stream.events.length);
      const page = await a.get<ThreadPage>(`/console/rooms/general/threads/${turn.message.thread.key}`);
      expect(page.messages.map(({ reply }) => reply?.text)).toEqual([undefined, 'One two three']);
      expect(await hits(a, 'three')).toEqual(['One two three']);
      stream.close();
    });

    it.each([
      ['an edit', true, {}],
      ['a post', false, {}],
      ['a removal', true, { state: 'withdrawn' }],
    ] as const)('ignores %s that a replica began before another one took the answer over', async (_, isShown, members) => {
      const { a, b } = pair;
      await a.say('general', { text: '@knowledge hi' });
      const turn = turnOf(a.host.taken[0], 't1');
      const held = await show(a, turn, [documentOf(turn, { state: 'writing', text: 'One' })]);
      const end = documentOf(turn, { version: 2, state: 'partial', text: 'One two' });
      await show(b, { ...held, attempt: 2 }, [end]);
      // A repair shows the same answer, as a turn of its own.
      const repair = { ...held, id: turnId('t2'), origin: { kind: 'show', of: turn.id, key: 'r' } as const };
      await show(b, repair, [end]);
      await show(a, isShown ? held : turn, [documentOf(turn, { version: 9, ...members })]);
      const page = await a.get<ThreadPage>(`/console/rooms/general/threads/${turn.message.thread.key}`);
      expect(page.messages[1]?.reply).toMatchObject({ state: 'partial', text: 'One two' });
      expect(JSON.stringify(page)).not.toContain('attempt');
    });

    it('asks an edited question that waited while the answer to the old text ended', async () => {
      const { a, b } = pair;
      await a.say('general', { text: '@knowledge hi' });
      const turn = turnOf(a.host.taken[0], 't1');
      const held = await show(a, turn, [documentOf(turn, { state: 'writing', text: 'Old' })]);
      const edited = { ...turn, id: turnId('t2'), reply: turn.id };
      await b.adapter.abilities.waiting?.say(edited, 0);
      const old = await show(a, held, [documentOf(turn, { version: 2, state: 'done', text: 'Old answer' })]);
      expect(await b.adapter.abilities.ended?.(edited)).toBeUndefined();
      await show(b, edited, [documentOf(edited, { state: 'done', text: 'New' })]);
      expect(await b.adapter.abilities.ended?.(edited)).toBe('done');
      await show(a, old, [documentOf(turn, { version: 9, state: 'done', text: 'Old, late' })]);
      const page = await a.get<ThreadPage>(`/console/rooms/general/threads/${turn.message.thread.key}`);
      expect(page.messages.map(({ reply }) => reply?.text)).toEqual([undefined, 'New']);
    });

    it('lets only members know a private room, from the next request on', async () => {
      const { a, b } = pair;
      const made = { as: 'engineer', name: 'plan', topic: '', private: true };
      const room = await a.post<RoomView>('/console/rooms', made);
      const act = (rig: Rig, what: string, more: object) =>
        rig.call(`/console/rooms/${room.id}/${what}`, json({ as: 'engineer', ...more }));
      const refused = () => b.call('/console/search', json({ as: 'designer', text: 'secret' }));
      await a.say(room.id, { text: 'a secret' });
      expect(await hits(b, 'secret')).toEqual([]);
      expect((await act(a, 'invite', { person: 'designer' })).status).toBe(200);
      expect(await hits(b, 'secret')).toEqual(['a secret']);
      expect((await act(b, 'remove', { person: 'designer' })).status).toBe(200);
      expect(await hits(a, 'secret')).toEqual([]);
      expect((await (await refused()).json()) as SearchView).toEqual({ hits: [] });
      const twice = [a, b].map((rig) =>
        rig.post<RoomView>('/console/rooms', { as: 'engineer', name: 'Same', topic: '', private: false }),
      );
      expect(new Set((await Promise.all(twice)).map(({ id }) => id)).size).toBe(1);
    });

    it('counts unread messages, and remembers how far somebody has read', async () => {
      const { a, b } = pair;
      expect(await unread(b)).toEqual([]);
      const first = await a.say('general', { text: '@Designer look' });
      const second = await a.say('general', { text: 'in the thread', thread: first.id });
      const other = await a.say('random', { text: 'other' });
      expect(await unread(b)).toEqual([first.id, second.id, other.id]);
      const read = { as: 'designer', room: 'general', thread: first.id, message: first.id };
      const stream = await follow(a);
      expect(await b.post('/console/read', read)).toEqual({ done: true });
      await stream.until((one) => one.type === 'read');
      stream.close();
      expect(await unread(a)).toEqual([second.id, other.id]);
      expect(await a.post('/console/read', read)).toEqual({ done: false });
      await a.post('/console/read', { as: 'designer', room: 'general', message: second.id });
      expect(await unread(b)).toEqual([other.id]);
      expect(await unread(b, 'engineer')).toEqual([]);
    });

    it.each([
      ['pump', ['The [Pump] at example.com/[pump]s', '[PUMP]S']],
      ['EXAMPLE pum', ['The [Pum]p at [example].com/[pum]ps']],
      ['ump', []],
      ['cafe', ['[Café] au lait']],
      ['预算', ['今年的[预算]表已经好了', '[预算]']],
      ['预算表', ['今年的[预算表]已经好了']],
      ['算', ['今年的预[算]表已经好了', '预[算]']],
      ['预算表好', []],
      ['了', ['今年的预算表已经好[了]']],
      ['メーター', ['圧力[メーター]panelの交換']],
      ['圧力 panel', ['[圧力]メーター[panel]の交換']],
      ["'; DROP TABLE", []],
      ['& | ! :*', []],
    ])('finds %j as words, beginnings of words, and parts of Chinese and Japanese text', async (text, due) => {
      const { a, b } = pair;
      for (const each of [
        'The Pump at example.com/pumps',
        'PUMPS',
        'Café au lait',
        '今年的预算表已经好了',
        '预算',
        '圧力メーターpanelの交換',
      ])
        await a.say('general', { text: each });
      const { hits } = await b.post<SearchView>('/console/search', { as: 'designer', text });
      const marked = hits.map(({ snippet }) =>
        snippet.map((part, nth) => (nth % 2 === 1 ? `[${part}]` : part)).join(''),
      );
      expect(marked.toSorted()).toEqual([...due].toSorted());
    });

    it('finds an edited message by its new words only', async () => {
      const { a, b } = pair;
      const { id } = await a.say('general', { text: `before ${'x'.repeat(90_000)}` });
      await b.post(`/console/messages/${id}/edit`, { as: 'engineer', text: 'afterwards' });
      expect([await hits(a, 'before'), await hits(a, 'afterwards')]).toEqual([[], ['afterwards']]);
    });

    it('keeps a file that another process stored, whole and only for those who may open it', async () => {
      const { a, b } = pair;
      const bytes = randomBytes(3 * 1024 * 1024 + 5);
      const sent = await a.call('/console/files?name=a.bin&as=engineer', { method: 'POST', body: bytes });
      const file = (await sent.json()) as FileView;
      await b.say('general', { text: 'see', files: [file.id] });
      const got = await b.call(`/console/files/${file.id}`);
      const digest = (part: Uint8Array) => createHash('sha256').update(part).digest('hex');
      expect(got.headers.get('content-disposition')).toContain('attachment');
      expect(digest(new Uint8Array(await got.arrayBuffer()))).toBe(digest(bytes));
      const signal = AbortSignal.timeout(10_000);
      expect(digest(await b.adapter.openFile(file, 4 * 1024 * 1024, signal))).toBe(digest(bytes));
    });

    it('forgets a person everywhere, and counts first what it will delete', async () => {
      const { a, b } = pair;
      const sent = await a.call('/console/files?name=a.txt&as=engineer', { method: 'POST', body: 'mine' });
      const { id } = (await sent.json()) as FileView;
      const root = await a.say('general', { text: 'my words', files: [id] });
      await a.say('general', { as: 'designer', text: 'an answer', thread: root.id });
      await a.say('direct~engineer~knowledge', { text: 'private' });
      const { seq } = await b.get<ConsoleState>('/console/state');
      const target = { kind: 'person', channel: 'console', tenant: 'console', person: 'engineer' } as const;
      const due = { messages: 2, files: 1, rooms: 1, people: 0, sessions: 0 };
      expect(await b.adapter.stored?.(target)).toEqual(due);
      expect(await a.adapter.forget?.(target)).toEqual(due);
      expect(await b.adapter.stored?.(target)).toEqual({ ...due, messages: 0, files: 0, rooms: 0 });
      expect(await hits(b, 'words')).toEqual([]);
      expect(await rootsAt(b)).toMatchObject([
        { deleted: true, text: '', author: { name: 'Deleted person' } },
      ]);
      expect((await b.call(`/console/files/${id}`)).status).toBe(404);
      const stream = await follow(b, seq);
      await stream.until(({ type }) => type === 'reload');
      expect(stream.events).toHaveLength(1);
      stream.close();
    });

    it('gives a conversation its title, and lists it once', async () => {
      const { a, b } = pair;
      const room = 'direct~engineer~knowledge';
      await Promise.all([a, b].map((rig) => rig.say(room, { text: 'How much is left?' })));
      const { rooms } = await b.get<ConsoleState>('/console/state');
      expect(rooms.filter(({ id }) => id === room)).toMatchObject([{ opening: 'How much is left?' }]);
    });
  });
}

sharedChat('the chat in a file', openAlone);

describe.skipIf(missing !== undefined)('with PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres.stop());

  sharedChat(
    'the chat of two replicas',
    openShared(() => postgres),
  );

  it('a sign-in at one replica counts at the other at once, and so does its end', async () => {
    const opened = new AsyncDisposableStack();
    const address = await postgres.database();
    const port = await freePort();
    const provider = opened.adopt(await openProvider(`http://127.0.0.1:${port}`), (it) => it.close());
    const config = signInConfig(provider.issuer, port);
    const [state, secrets] = [memoryKeyed(), memoryKeyed()];
    const start = async (at: number): Promise<Rig> => {
      const store = await openSharedStore({ address, installation, clock: systemClock, log: quiet });
      opened.defer(() => store.close());
      const { database } = store;
      const host = (own: object) => void Object.assign(own, { state, secrets });
      const rig = await openSignInRig(config, { ...(database && { database }), port: at, host });
      opened.defer(() => rig.close());
      return rig;
    };
    const [a, b] = [await start(port), await start(0)];
    const signInAs = async (account: string) => {
      provider.account = account;
      return (await signIn(a)).cookies(new URL(base(a)).host);
    };
    const visit = (rig: Rig, cookie: string, path = 'state', method = 'GET') =>
      rig.call(`/console/${path}`, { method, headers: { cookie } });
    const [ada, ben] = [await signInAs('ada'), await signInAs('ben')];
    const { me, people } = (await (await visit(b, ada)).json()) as ConsoleState;
    expect(people.map(({ name }) => name)).toEqual(['Ada Lindqvist', 'Ben Okafor']);
    const stream = await visit(b, ada, 'events');
    expect((await visit(a, ada, 'sign-out', 'POST')).status).toBe(204);
    expect((await visit(b, ada)).status).toBe(401);
    // The stream ends at once, and not only with the next comment.
    expect(await stream.text()).toContain('hello');
    expect((await visit(b, ben)).status).toBe(200);
    const target = { kind: 'tenant', channel: 'console', tenant: 'console' } as const;
    expect(await b.adapter.forget?.(target)).toMatchObject({ people: 2, sessions: 1 });
    expect((await visit(a, ben)).status).toBe(401);
    expect(me).toBeDefined();
    await opened.disposeAsync();
  });

  it('the same edit at two replicas at once asks once', async () => {
    const { a, b, close } = await openShared(() => postgres)();
    const { id } = await a.say('general', { text: '@knowledge how often?' });
    const edit = ({ post }: Rig) =>
      post<unknown>(`/console/messages/${id}/edit`, { as: 'engineer', text: '@knowledge how long?' });
    await Promise.all([edit(a), edit(b), edit(a), edit(b)]);
    const revisions = [a, b].flatMap(({ host }) =>
      host.taken.flatMap((event) => (event.kind === 'edit' ? event.message.revision : [])),
    );
    expect([...new Set(revisions)]).toEqual([1]);
    await close();
  });

  it('a replica that no longer reads events sends its pages to another one', async () => {
    const address = new URL(await postgres.database());
    const network = await startProxy(postgres.port);
    address.port = String(network.port);
    const store = await openSharedStore({
      address: address.href,
      installation,
      clock: systemClock,
      log: quiet,
    });
    let lateMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + lateMs };
    const errors: string[] = [];
    const log = { ...quiet, error: (_facts: object, text: string) => void errors.push(text) };
    const rig = await openRig({
      ...(store.database && { database: store.database }),
      host: (host) => void Object.assign(host, { clock, log }),
    });
    const stream = await follow(rig);
    lateMs = 60_000;
    await rig.say('general', { text: 'a clock that was set is no fault' });
    await stream.until(({ type }) => type === 'message');
    network.set('half-open');
    lateMs = 120_000;
    await expect(stream.until(({ type }) => type === 'reload')).rejects.toThrow('the stream ended');
    const began = performance.now();
    for (const path of ['/console/state', '/console/events', '/console/state', '/console/events'])
      expect((await rig.call(path)).status).toBe(503);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(errors).toEqual(['A request failed']);
    network.set('open');
    await vi.waitFor(async () => expect((await rig.call('/console/events')).status).toBe(200), 10_000);
    await rig.close();
    await store.close();
    await network.close();
  });

  it('a replica that missed events starts its pages anew, and knows the rooms again', async () => {
    const { a, b, stores, close } = await openShared(() => postgres)();
    const database = stores[0]?.database as SharedDatabase;
    const stream = await follow(b);
    // Events disappear before `b` could read them.
    await database.transaction(async (query) => {
      await query('UPDATE parley.chat_feed SET seq = seq + 5');
      await query(
        'INSERT INTO parley.chat_rooms (id, body) VALUES (\'late\', \'{"id":"late","name":"late","topic":"","kind":"room"}\')',
      );
    });
    const { rooms } = await b.get<ConsoleState>('/console/state');
    expect(rooms.map(({ id }) => id)).toContain('late');
    await expect(stream.until((one) => one.type === 'room')).rejects.toThrow('the stream ended');
    await a.say('late', { text: 'there' });
    expect((await b.get<RoomPage>('/console/rooms/late')).messages).toHaveLength(1);
    await close();
  });

  it('a move to the database and back keeps what people see, what they have read, and files', async () => {
    const address = await postgres.database();
    const open = () => openSharedStore({ address, installation, clock: systemClock, log: quiet });
    const alone = await openRig();
    const { folder } = alone;
    const file = join(folder, 'console.sqlite');
    const seen = async ({ get, post, call }: Rig) => ({
      rooms: (await get<ConsoleState>('/console/state')).rooms,
      general: await get<RoomPage>('/console/rooms/general'),
      unread: (await post<UnreadView>('/console/unread', { as: 'designer' })).messages,
      found: await post<SearchView>('/console/search', { as: 'designer', text: 'pump' }),
      file: await (await call(`/console/files/${sent.id}`)).text(),
    });
    const upload = await alone.call('/console/files?name=a.txt&as=engineer', {
      method: 'POST',
      body: 'pump plan',
    });
    const sent = (await upload.json()) as FileView;
    const made = { as: 'engineer', name: 'plan', topic: '', private: true };
    const plan = await alone.post<RoomView>('/console/rooms', made);
    await alone.post('/console/unread', { as: 'designer' });
    const first = await alone.say('general', { text: 'The pump', files: [sent.id] });
    const second = await alone.say('general', { text: 'Which pump?', thread: first.id });
    await alone.say('general', { text: '@Designer see the pump' });
    await alone.say(plan.id, { text: 'the secret pump' });
    const gone = await alone.say('general', { text: 'not this pump' });
    await alone.post(`/console/messages/${gone.id}/delete`, { as: 'engineer' });
    await alone.post(`/console/messages/${first.id}/edit`, { as: 'engineer', text: 'The pumps' });
    await alone.post('/console/read', {
      as: 'designer',
      room: 'general',
      thread: first.id,
      message: second.id,
    });
    const before = await seen(alone);
    await alone.adapter.stop();
    const store = await open();
    const database = store.database as SharedDatabase;
    const moved = await moveChat(file, database, 'postgresql');
    expect(moved.map(({ name, rows }) => [name, rows])).toContainEqual(['console messages', 4]);
    const shared = await openRig({ database, folder });
    expect(await seen(shared)).toEqual(before);
    const secret = { as: 'designer', text: 'secret' };
    expect(await shared.post<SearchView>('/console/search', secret)).toEqual({ hits: [] });
    const later = await shared.say('general', { text: 'A later pump', thread: first.id });
    const during = await seen(shared);
    expect(during.unread.map(({ id }) => id)).toContain(later.id);
    await shared.adapter.stop();
    // An interrupted move is repeated.
    await moveChat(file, database, 'sqlite');
    await moveChat(file, database, 'sqlite');
    await store.close();
    const back = await openRig({ folder });
    expect(await seen(back)).toEqual(during);
    await back.say('general', { text: 'The last pump' });
    expect((await seen(back)).unread).toHaveLength(during.unread.length + 1);
    await back.close();
  });

  it('changes of many requests at two replicas have numbers without a gap', async () => {
    const { a, b, stores, close } = await openShared(() => postgres)();
    const stream = await follow(a);
    const texts = Array.from({ length: 40 }, (_, nth) => `message ${nth}`);
    await Promise.all(texts.map((text, nth) => (nth % 2 === 0 ? a : b).say('general', { text })));
    const [newest] = (await stores[0]?.database?.query('SELECT seq FROM parley.chat_feed')) ?? [];
    await stream.until(({ seq }) => seq === Number(newest?.seq));
    const seen = stream.events.flatMap((one) => (one.type === 'message' ? [one.message.text] : []));
    expect(seen.toSorted()).toEqual(texts.toSorted());
    const seqs = stream.events.slice(1).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, nth) => (seqs[0] ?? 0) + nth));
    stream.close();
    await close();
  });
});
