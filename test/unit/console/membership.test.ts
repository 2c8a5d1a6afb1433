/**
 * Tests who may use each route of the console on a private room: a member, a removed member, a stranger, and somebody
 * who has not signed in. The list of routes comes from the server, so a new route needs a row.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Served } from '../../../adapters/console/http/acts.ts';
import { providerGate } from '../../../adapters/console/http/provider-gate.ts';
import { createRoutes } from '../../../adapters/console/http/routes.ts';
import type { ConsoleState, FileView, MessageView, RoomView } from '../../../adapters/console/wire.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { waitFor } from '../../fakes/wait-for.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { documentOf, json, type Rig, show, turnOf } from './rig.ts';

const who = ['owner', 'member', 'removed', 'stranger', 'nobody'] as const;
type Who = (typeof who)[number];
const CANARY = /Zebra|canary/i;
const people: Partial<Record<Who, { readonly browser: Browser; readonly me: string }>> = {};
let provider: RealProvider;
let rig: Rig;
let room: RoomView;
let ids: Record<'room' | 'root' | 'file' | 'turn', string>;
let events: { readonly text: () => string; readonly end: () => void };

const at = (path: string) => `${base(rig)}/console${path}`;
const idOf = (one: Who) => people[one]?.me ?? '';
let nonces = 0;
/** Sends a request as the person. The body gets the person's id. */
async function send(one: Who, method: string, path: string, body?: object) {
  nonces += 1;
  const whole = json({ as: idOf(one === 'nobody' ? 'owner' : one), nonce: `n${nonces}`, ...body });
  return (people[one]?.browser ?? new Browser()).visit(at(path), method === 'GET' ? {} : whole);
}
async function post<T>(one: Who, path: string, body: object): Promise<T> {
  const { status, text } = await send(one, 'POST', path, body);
  expect([path, status, text]).toEqual([path, 200, text]);
  return JSON.parse(text) as T;
}
const messages = () => `/rooms/${room.id}/messages`;

async function followEvents(one: Who) {
  const ended = new AbortController();
  const headers = { cookie: people[one]?.browser.cookies(new URL(base(rig)).host) ?? '' };
  const response = await fetch(at('/events'), { headers, signal: ended.signal });
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes);
  })().catch(() => undefined);
  return { text: () => text, end: () => ended.abort() };
}

beforeAll(async () => {
  const port = await freePort();
  provider = await openProvider(`http://127.0.0.1:${port}`);
  const refused = { kind: 'refused', text: 'No such code.' } as const;
  rig = await openSignInRig(signInConfig(provider.issuer, port), {
    host: (host) =>
      Object.assign(host, {
        linkPages: { show: async () => refused, confirm: async () => refused },
        linkProofs: { offers: () => [], begin: () => undefined, finish: async () => refused },
        forgetRoom: async (tenant: string, id: string) => {
          await rig.adapter.forget?.({ kind: 'tenant', channel: 'console', tenant, room: id });
        },
      }),
  });
  for (const one of who.slice(0, 4)) {
    provider.account = one;
    provider.claims[one] = { name: `Person ${one}`, groups: [] };
    const browser = await signIn(rig);
    const state = JSON.parse((await browser.visit(at('/state'))).text) as ConsoleState;
    people[one] = { browser, me: state.me ?? '' };
  }
  room = await post<RoomView>('owner', '/rooms', { name: 'Zebra merger', topic: 'canary', private: true });
  for (const one of ['member', 'removed'] as const)
    room = await post<RoomView>('owner', `/rooms/${room.id}/invite`, { person: idOf(one) });
  const upload = await people.owner?.browser.visit(at(`/files?name=zebra.txt&as=${idOf('owner')}`), {
    method: 'POST',
    body: 'canary file',
  });
  const file = JSON.parse(upload?.text ?? '') as FileView;
  const text = '@knowledge canary question';
  const root = await post<MessageView>('owner', messages(), { text, files: [file.id] });
  const turn = turnOf(rig.host.taken.at(-1), 'private-turn');
  const sources = [{ key: 'a', title: 'Canary source', kind: 'document', mark: 1, fragments: [] }] as const;
  await show(rig, turn, [
    documentOf(turn, { state: 'done', text: 'canary answer [1]', sources, suggestions: ['canary next'] }),
  ]);
  ids = { room: room.id, root: root.id, file: file.id, turn: turn.id };
  events = await followEvents('removed');
  await post('removed', messages(), { text: 'I can still write', files: [] });
  await waitFor(() => expect(events.text()).toContain('I can still write'));
  await post('owner', `/rooms/${room.id}/remove`, { person: idOf('removed') });
});
afterAll(async () => {
  events.end();
  await rig.close();
  await provider.close();
});

/** Statuses of a member, of everyone else who has signed in, and of somebody who has not. */
type Expected = readonly [member: number, others: number, nobody: number];
const hidden: Expected = [200, 404, 401];
const ownerOnly: Expected = [403, 404, 401];
const everyone: Expected = [200, 200, 401];
const open = (status: number): Expected => [status, status, status];
/** Nobody here has a rule that allows `operate`. */
const operators: Expected = [403, 403, 401];
/** A row: the path, the body and the statuses. */
type Row = readonly [path: string, body: object | undefined, expected: Expected];

/** Routes without a row, because a request would end the sign-in or never end. A test below is about the events. */
const others = ['GET /events', 'POST /sign-out'];
const rows = ({ room: id, root, file, turn }: typeof ids): Record<string, Row> => ({
  'GET /sign-in': ['/sign-in', undefined, open(200)],
  'GET /sign-in/start': ['/sign-in/start', undefined, open(302)],
  'GET /sign-in/callback': ['/sign-in/callback', undefined, open(303)],
  'POST /sign-in/logout': ['/sign-in/logout', {}, open(400)],
  'GET /state': ['/state', undefined, everyone],
  'GET /rooms/:room': [`/rooms/${id}`, undefined, hidden],
  'GET /rooms/:room/threads/:thread': [`/rooms/${id}/threads/${root}`, undefined, hidden],
  'GET /rooms/:room/export': [`/rooms/${id}/export`, undefined, [404, 404, 401]],
  'GET /replies/:turn/receipt': [`/replies/${turn}/receipt`, undefined, hidden],
  'GET /files/:id': [`/files/${file}`, undefined, hidden],
  'POST /files': [`/files?name=x&as=x`, {}, [403, 403, 401]],
  'POST /rooms': ['/rooms', { name: 'zebra merger' }, everyone],
  'POST /rooms/:id/messages': [`/rooms/${id}/messages`, { text: 'hi', files: [], thread: root }, hidden],
  'POST /rooms/:id/change': [`/rooms/${id}/change`, { name: 'Zebra two' }, ownerOnly],
  'POST /rooms/:id/invite': [`/rooms/${id}/invite`, { person: idOf('member') }, hidden],
  'POST /rooms/:id/remove': [`/rooms/${id}/remove`, { person: idOf('owner') }, ownerOnly],
  'POST /rooms/:id/delete': [`/rooms/${id}/delete`, {}, [400, 404, 401]],
  'POST /conversations': ['/conversations', { agent: 'knowledge' }, everyone],
  'POST /messages/:id/edit': [`/messages/${root}/edit`, { text: 'changed' }, ownerOnly],
  'POST /messages/:id/delete': [`/messages/${root}/delete`, {}, ownerOnly],
  ...Object.fromEntries(
    [
      ['show', { edition: 1 }],
      ['ask', { agent: 'vision' }],
      ['feedback', { verdict: 'up' }],
      ['regenerate', {}],
      ['retry', {}],
      ['instead', {}],
      ['stop', {}],
      ['suggest', { text: 'canary next' }],
      ['ask-me', {}],
      ['correction', {}],
      ['correct', { question: 'q', answer: 'a' }],
    ].map(([press, body]) => [
      `POST /replies/:id/${press}`,
      // A member learns whether the press was done; the rules do not allow corrections.
      [`/replies/${turn}/${press}`, body, /^correct/.test(String(press)) ? ownerOnly : hidden] as Row,
    ]),
  ),
  'POST /shares': ['/shares', { turn, source: 'a', room: id, thread: root }, hidden],
  ...Object.fromEntries(
    ['export', 'failures', 'feedback', 'now', 'people', 'turns', 'turns/:turn'].map((path) => [
      `GET /operate/${path}`,
      [`/operate/${path.replace(':turn', turn)}`, undefined, operators] as Row,
    ]),
  ),
  'POST /unread': ['/unread', {}, everyone],
  'POST /search': ['/search', { text: 'canary' }, everyone],
  'POST /read': ['/read', { room: id, message: root }, hidden],
  'POST /link': ['/link', { token: 'x' }, [409, 409, 401]],
  'POST /link/confirm': ['/link/confirm', { token: 'x' }, [409, 409, 401]],
  'POST /connect': ['/connect', { channel: 'slack' }, [404, 404, 401]],
  'POST /connect/finish': ['/connect/finish', { channel: 'slack', query: '' }, [409, 409, 401]],
});

/** Returns the routes that the server registers, as `GET /state`. */
function routesOf(): readonly string[] {
  const host = { ...rig.host, linkPages: {}, linkProofs: {} };
  const gate = providerGate({ host, secure: false } as unknown as Parameters<typeof providerGate>[0]);
  const app = createRoutes({ host, gate, seal: {}, config: { allowedHosts: [] } } as unknown as Served);
  return app.router.stack.flatMap(({ route }) =>
    route ? route.stack.map(({ method }) => `${String(method).toUpperCase()} ${String(route.path)}`) : [],
  );
}

describe('a private room', () => {
  it('has a row in the table for every route', () => {
    expect([...Object.keys(rows(ids)), ...others].toSorted()).toEqual(routesOf().toSorted());
  });

  it('is closed to everyone but its members on every route, as if it did not exist (S16)', async () => {
    const forged = { room: 'no-room', root: 'no-root', file: 'no-file', turn: 'no-turn' };
    const strange = rows(forged);
    for (const [name, [path, body, [member, other, nobody]]] of Object.entries(rows(ids))) {
      const method = name.split(' ')[0] ?? '';
      const expected = { member, removed: other, stranger: other, nobody };
      // Before the member, whose request may change something.
      for (const one of ['removed', 'stranger', 'nobody', 'member'] as const) {
        const { status, text } = await send(one, method, path, body);
        expect([name, one, status]).toEqual([name, one, expected[one]]);
        if (one === 'member') continue;
        expect([name, one, text]).toEqual([name, one, expect.not.stringMatching(/canary|Zebra m/)]);
        const [otherPath, otherBody] = strange[name] ?? [path, body];
        if (other === 404) expect((await send(one, method, otherPath, otherBody)).text).toBe(text);
      }
    }
  });

  it('cannot be the place where a stranger asks, shares or sends a file (S16)', async () => {
    const said = { text: '@knowledge stranger', files: [] };
    const root = await post<MessageView>('stranger', '/rooms/general/messages', said);
    const turn = turnOf(rig.host.taken.at(-1), 'public-turn');
    await show(rig, turn, [documentOf(turn, { state: 'done', text: 'open answer' })]);
    for (const target of [{ room: room.id }, { room: room.id, thread: ids.root }])
      expect((await send('stranger', 'POST', '/shares', { turn: turn.id, ...target })).status).toBe(404);
    const inOther = { text: 'x', files: [], thread: ids.root };
    expect((await send('stranger', 'POST', '/rooms/general/messages', inOther)).status).toBe(404);
    const withFile = { text: 'x', files: [ids.file], thread: root.id };
    expect((await send('stranger', 'POST', '/rooms/general/messages', withFile)).status).toBe(400);
    const page = await send('stranger', 'GET', `/rooms/general/threads/${ids.root}`);
    expect([page.status, CANARY.test(page.text)]).toEqual([404, false]);
  });

  it('stops its events for a person when they are removed, also for a page that reconnects (S16)', async () => {
    const { seq } = JSON.parse((await send('owner', 'GET', '/state')).text) as ConsoleState;
    await post('owner', messages(), { text: 'canary after the removal', files: [] });
    await post('owner', '/rooms/general/messages', { text: 'seen by all', files: [] });
    await expect.poll(events.text).toContain('seen by all');
    expect(events.text()).not.toContain('after the removal');
    expect(events.text()).toContain(JSON.stringify({ type: 'left', room: room.id }).slice(1, -1));
    const headers = { cookie: people.removed?.browser.cookies(new URL(base(rig)).host) ?? '' };
    const missed = await fetch(at(`/events?since=${seq}`), { headers });
    const text = new TextDecoder().decode((await missed.body?.getReader().read())?.value);
    expect(text).not.toContain('after the removal');
    expect((await send('nobody', 'GET', '/events')).status).toBe(401);
  });

  it('is in nobody else’s unread messages, search or mentions', async () => {
    // Messages from before a person's first look count as read.
    for (const one of ['member', 'removed', 'stranger'] as const) await send(one, 'POST', '/unread', {});
    const text = `canary @Person stranger and @${idOf('member')}`;
    const said = await post<MessageView>('owner', messages(), { text, files: [] });
    expect(said.mentions).toEqual([idOf('member')]);
    const found = async (one: Who) => [
      (await send(one, 'POST', '/unread', {})).text.includes(said.id),
      (await send(one, 'POST', '/search', { text: 'canary' })).text.includes(said.id),
    ];
    expect(await found('member')).toEqual([true, true]);
    for (const one of ['removed', 'stranger'] as const) expect(await found(one)).toEqual([false, false]);
  });

  it('is named nowhere outside when one of its sources is shared', async () => {
    const body = { turn: ids.turn, source: 'a', room: 'general' };
    const shared = await post<MessageView>('member', '/shares', body);
    expect(shared.shared?.from).toMatchObject({ room: '', thread: '' });
    expect(JSON.stringify(shared)).not.toContain(room.id);
  });

  it('takes no message of a person who is removed between the request and the post (race)', async () => {
    await post('owner', `/rooms/${room.id}/invite`, { person: idOf('removed') });
    const { state } = rig.host;
    const { get } = state;
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    state.get = async (key) => {
      asked.resolve();
      await released.promise;
      return get.call(state, key);
    };
    const posted = send('removed', 'POST', messages(), { text: 'race', files: [], thread: ids.root });
    await asked.promise;
    await post('owner', `/rooms/${room.id}/remove`, { person: idOf('removed') });
    released.resolve();
    expect((await posted).status).toBe(404);
    state.get = get;
    const thread = await send('owner', 'GET', `/rooms/${room.id}/threads/${ids.root}`);
    expect(thread.text).not.toContain('race');
  });
});
