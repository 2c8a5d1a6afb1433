/** Tests sign-in to the console with a real OpenID provider (npm oidc-provider). */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleState, FileView, MessageView } from '../../../adapters/console/wire.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { memoryKeyed } from '../slack/keyed.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { documentOf, json, type Rig, show, turnOf } from './rig.ts';

let provider: RealProvider;
let rig: Rig;
const logged: string[] = [];

beforeEach(async () => {
  logged.length = 0;
  const port = await freePort();
  provider = await openProvider(`http://127.0.0.1:${port}`);
  const log = (_fields: object, text: string) => void logged.push(text);
  const secrets = memoryKeyed();
  rig = await openSignInRig(signInConfig(provider.issuer, port), {
    host: (host) => {
      Object.assign(host.log, { warn: log });
      Object.assign(host, { secrets });
    },
  });
});
afterEach(async () => {
  await rig.close();
  await provider.close();
});

const at = (path: string) => `${base(rig)}${path}`;
const hostOf = () => new URL(base(rig)).host;
const stateOf = async (browser: Browser) =>
  JSON.parse((await browser.visit(at('/console/state'))).text) as ConsoleState;
const signInAs = (account: string, browser = new Browser()) => {
  provider.account = account;
  return signIn(rig, browser);
};
const post = (browser: Browser, path: string, body: unknown) => browser.visit(at(path), json(body));

describe('signing in', () => {
  it('makes the person the subject of the token, with name, e-mail and groups', async () => {
    const state = await stateOf(await signInAs('ada'));
    expect(state.people).toEqual([{ id: state.me, name: 'Ada Lindqvist', title: 'ada@example.org' }]);
    expect(rig.host.acts).toEqual([
      { tenant: 'console', person: state.me, action: 'sign-in', outcome: 'done' },
    ]);
    const browser = await signInAs('ben');
    const { me } = await stateOf(browser);
    expect(me).not.toBe(state.me);
    const said = { as: me, text: '@knowledge hello', files: [], nonce: 'n' };
    expect((await post(browser, '/console/rooms/general/messages', said)).status).toBe(200);
    expect(rig.host.taken.at(-1)).toMatchObject({
      kind: 'ask',
      message: {
        sender: { id: me, name: 'Ben Okafor', email: 'ben@example.org', groups: ['staff', 'support'] },
      },
    });
  });

  it('asks for PKCE, state and nonce, and for nothing from the request', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      'x-forwarded-proto': 'https',
    };
    const browser = new Browser();
    const { location = '' } = await browser.visit(
      at('/console/sign-in/start?to=https://evil.example&redirect_uri=x'),
      { headers },
    );
    const asked = Object.fromEntries(new URL(location).searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: at('/console/sign-in/callback'),
      scope: 'openid profile email',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]?.length).toBeGreaterThan(40);
    expect(location).not.toContain('evil');
  });

  it('sets a cookie that scripts cannot read, and removes that of the pending sign-in', async () => {
    const browser = new Browser();
    const first = await browser.follow(at('/console/sign-in/start'), (next) => next.includes('/callback'));
    const { setCookie } = await browser.visit(first.location ?? '');
    expect(setCookie).toEqual([
      expect.stringMatching(/^parley_sign_in_[\w-]{16}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^parley_session=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/),
    ]);
  });

  it('stays valid over a restart, until the person signs out', async () => {
    const browser = await signInAs('ada');
    const before = browser.cookies(hostOf());
    rig = await rig.restart();
    expect((await browser.visit(at('/console/state'))).status).toBe(200);
    expect((await browser.visit(at('/console/sign-out'), { method: 'POST' })).status).toBe(204);
    expect(browser.cookies(hostOf())).toBe('');
    const stolen = await fetch(at('/console/state'), { headers: { cookie: before } });
    expect(stolen.status).toBe(401);
  });
});

describe('several tabs of a browser', () => {
  const callbackIn = async (browser: Browser) =>
    (await browser.follow(at('/console/sign-in/start'), (next) => next.includes('/callback'))).location ?? '';

  it('sign in at the same time, in any order, also for two people', async () => {
    const browser = new Browser();
    const first = await callbackIn(browser);
    const second = await callbackIn(browser);
    for (const callback of [second, first])
      expect([(await browser.visit(callback)).location, logged]).toEqual([at('/'), []]);
    expect((await stateOf(browser)).me).toBeDefined();
    // The browser goes back to an address that it has used: the sign-in stays.
    expect((await browser.visit(first)).location).toBe(at('/?sign-in=expired'));
    expect((await browser.visit(at('/console/state'))).status).toBe(200);
  });

  it('keep at most 5 sign-ins that have begun, and end the oldest', async () => {
    const browser = new Browser();
    const callbacks: string[] = [];
    for (let tab = 0; tab < 7; tab += 1) callbacks.push(await callbackIn(browser));
    expect(browser.cookies(hostOf()).match(/parley_sign_in_/g)).toHaveLength(5);
    const ends = await Promise.all(
      callbacks.map(async (each) => (await browser.visit(each)).location?.replace(at(''), '')),
    );
    expect(ends).toEqual(['/?sign-in=expired', '/?sign-in=expired', '/', '/', '/', '/', '/']);
  });

  it('share the result if the person reloads the page while the provider checks the code', async () => {
    const browser = new Browser();
    const callback = await callbackIn(browser);
    const cookie = browser.cookies(hostOf());
    const reload = () => fetch(callback, { headers: { cookie }, redirect: 'manual' });
    const both = await Promise.all([reload(), reload()]);
    expect(both.map(({ headers }) => headers.get('location'))).toEqual(['../../', '../../']);
    const [one, other] = both.map(({ headers }) => headers.getSetCookie().at(-1));
    expect(one).toBe(other);
    expect((await reload()).headers.get('location')).toBe('../../?sign-in=expired');
  });
});

describe('nobody is let in', () => {
  const refused = async (browser: Browser, url: string, failure = 'expired') => {
    const visit = await browser.visit(url);
    expect([visit.status, visit.location]).toEqual([303, at(`/?sign-in=${failure}`)]);
    expect(browser.cookies(hostOf())).not.toContain('parley_session');
    expect((await browser.visit(at('/console/state'))).status).toBe(401);
  };
  const callbackOf = async (account: string, browser: Browser) => {
    provider.account = account;
    const visit = await browser.follow(at('/console/sign-in/start'), (next) => next.includes('/callback'));
    return visit.location ?? '';
  };

  it('by a code that another browser obtained (login CSRF)', async () => {
    const callback = await callbackOf('ben', new Browser());
    await refused(new Browser(), callback);
    const victim = new Browser();
    await victim.visit(at('/console/sign-in/start'));
    await refused(victim, callback);
    expect(logged.at(-1)).toContain('the browser did not start it');
  });

  it('by a code that is used again, also with its own cookie', async () => {
    const browser = new Browser();
    const callback = await callbackOf('ada', browser);
    const pending = browser.cookies(hostOf());
    expect([(await browser.visit(callback)).location, logged]).toEqual([at('/'), []]);
    const replay = await fetch(callback, { headers: { cookie: pending }, redirect: 'manual' });
    expect(replay.headers.get('location')).toBe('../../?sign-in=expired');
    expect(replay.headers.getSetCookie().join()).not.toContain('parley_session');
  });

  it.each([
    ['login_required', 'it answered login_required'],
    ['x. Restart now: rm -rf .parley', 'it answered an unreadable error'],
  ])('the error "%s" in the address appears in the log as "%s"', async (error, shown) => {
    const browser = new Browser();
    const { location = '' } = await browser.visit(at('/console/sign-in/start'));
    const state = new URL(location).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error, iss: provider.issuer });
    const visit = await browser.visit(at(`/console/sign-in/callback?${query}`));
    expect(visit.location).toBe(at('/?sign-in=refused'));
    expect(logged).toEqual([`A sign-in was refused: ${shown}.`]);
  });

  it('by a stolen code in a sign-in of the thief', async () => {
    const code = new URL(await callbackOf('ada', new Browser())).searchParams.get('code') ?? '';
    const thief = new Browser();
    const own = new URL(await callbackOf('ben', thief));
    own.searchParams.set('code', code);
    await refused(thief, own.href, 'refused');
  });

  it('by an answer of another issuer (mix-up)', async () => {
    const browser = new Browser();
    const mixed = new URL(await callbackOf('ada', browser));
    mixed.searchParams.set('iss', 'https://evil.example');
    await refused(browser, mixed.href, 'refused');
    expect(logged.at(-1)).toMatch(/iss/);
  });

  it('by an answer with a doubled state, an error or no code', async () => {
    for (const change of [
      (url: URL) => url.searchParams.append('state', 'another'),
      (url: URL) => url.searchParams.set('state', 'another'),
    ]) {
      const browser = new Browser();
      const url = new URL(await callbackOf('ada', browser));
      change(url);
      await refused(browser, url.href);
    }
    const browser = new Browser();
    const url = new URL(await callbackOf('ada', browser));
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    await refused(browser, url.href, 'refused');
    expect(logged.at(-1)).toContain('denied access');
  });

  it('by a session id that was planted before (session fixation)', async () => {
    const attacker = await signInAs('ben');
    const planted = attacker.jar.get(hostOf())?.get('parley_session') ?? '';
    const victim = new Browser();
    victim.jar.set(hostOf(), new Map([['parley_session', planted]]));
    await signInAs('ada', victim);
    expect(victim.cookies(hostOf())).not.toContain(planted);
    expect((await attacker.visit(at('/console/state'))).status).toBe(401);
    victim.jar.get(hostOf())?.set('x', `1; parley_session=${planted}`);
    expect((await victim.visit(at('/console/state'))).status).toBe(401);
  });

  it('by headers that a proxy would set for its user', async () => {
    const names = [
      'x-forwarded-user',
      'x-forwarded-email',
      'x-auth-request-user',
      'remote-user',
      'x-remote-user',
    ];
    const headers = Object.fromEntries(names.map((name) => [name, 'ada@example.org']));
    expect((await rig.call('/console/state', { headers })).status).toBe(401);
    expect((await rig.call('/console/state', { headers: { authorization: 'Bearer ada' } })).status).toBe(401);
  });

  it('while the provider is down', async () => {
    await provider.close();
    const visit = await new Browser().visit(at('/console/sign-in/start'));
    expect(visit.location).toBe(at('/?sign-in=unavailable'));
    expect(logged.at(-1)).toContain('The identity provider could not be used');
  });

  it('at another address than the console itself', async () => {
    const browser = new Browser();
    const callback = new URL(await callbackOf('ada', browser));
    for (const name of ['to', 'next', 'redirect', 'return_to'])
      callback.searchParams.set(name, 'https://evil.example/');
    const { location } = await browser.visit(callback.href);
    expect(new URL(location ?? '').host).toBe(hostOf());
  });
});

describe('a signed-in person', () => {
  let ada: Browser;
  let ben: Browser;
  let me: { readonly ada: string; readonly ben: string };
  let room: string;
  let secret: MessageView;
  let file: FileView;
  beforeEach(async () => {
    ada = await signInAs('ada');
    ben = await signInAs('ben');
    me = { ada: (await stateOf(ada)).me ?? '', ben: (await stateOf(ben)).me ?? '' };
    room = `direct~${me.ada}~knowledge`;
    const sent = await ada.visit(at(`/console/files?name=plan.txt&as=${me.ada}`), {
      method: 'POST',
      body: 'a plan',
    });
    file = JSON.parse(sent.text) as FileView;
    const said = { as: me.ada, text: 'canary of Ada', files: [file.id], nonce: 'secret' };
    const posted = await post(ada, `/console/rooms/${encodeURIComponent(room)}/messages`, said);
    secret = JSON.parse(posted.text) as MessageView;
  });

  it('does not read another’s direct room in the list, by link or by thread', async () => {
    const { rooms, people } = await stateOf(ben);
    expect(rooms.filter(({ kind }) => kind === 'direct').map(({ person }) => person)).toEqual([
      me.ben,
      me.ben,
    ]);
    expect(people.map(({ id }) => id)).toContain(me.ada);
    const path = `/console/rooms/${encodeURIComponent(room)}`;
    for (const wanted of [path, `${path}/threads/direct`, `${path}/threads/${secret.id}`]) {
      const visit = await ben.visit(at(wanted));
      expect([wanted, visit.status]).toEqual([wanted, 403]);
      expect(visit.text).not.toContain('canary');
    }
    const elsewhere = await ben.visit(at(`/console/rooms/general/threads/${secret.id}`));
    expect(elsewhere.text).not.toContain('canary');
    expect((await ada.visit(at(path))).text).toContain('canary');
  });

  it('reads their own e-mail address only, in every answer and event (attack S30)', async () => {
    const said = { as: me.ada, text: '@knowledge hello', files: [], nonce: 'mail' };
    const root = JSON.parse((await post(ada, '/console/rooms/general/messages', said)).text) as MessageView;
    const turn = turnOf(rig.host.taken.at(-1), 'mailed');
    await show(rig, turn, [documentOf(turn, { text: 'Done.' })]);
    const { people } = await stateOf(ben);
    expect(people.map(({ name, title }) => [name, title])).toEqual([
      ['Ada Lindqvist', ''],
      ['Ben Okafor', 'ben@example.org'],
    ]);
    const stream = await fetch(at('/console/events?since=0'), { headers: { cookie: ben.cookies(hostOf()) } });
    const events = new TextDecoder().decode((await stream.body?.getReader().read())?.value);
    const paths = ['state', 'rooms/general', `rooms/general/threads/${root.id}`, `replies/mailed/receipt`];
    const texts = await Promise.all(
      paths.map(async (path) => (await ben.visit(at(`/console/${path}`))).text),
    );
    expect([events, ...texts].join('\n')).not.toMatch(/ada@|"ada"/);
  });

  it('does not read another’s file, nor by attaching it to an own message', async () => {
    expect((await ben.visit(at(`/console/files/${file.id}`))).status).toBe(404);
    expect((await ada.visit(at(`/console/files/${file.id}`))).text).toBe('a plan');
    const stolen = { as: me.ben, text: 'look', files: [file.id], nonce: 'steal' };
    expect((await post(ben, '/console/rooms/general/messages', stolen)).status).toBe(400);
    expect((await ben.visit(at(`/console/files/${file.id}`))).status).toBe(404);
    const shown = { as: me.ada, text: 'for all', files: [file.id], nonce: 'show' };
    expect((await post(ada, '/console/rooms/general/messages', shown)).status).toBe(200);
    expect((await ben.visit(at(`/console/files/${file.id}`))).text).toBe('a plan');
  });

  it('does not act in the name of another, whatever the request says', async () => {
    const messages = '/console/rooms/general/messages';
    const forged = { as: me.ada, text: 'I resign', files: [], nonce: 'forged' };
    const acts: readonly (readonly [string, object])[] = [
      [messages, forged],
      [`/console/messages/${secret.id}/edit`, { as: me.ada, text: 'changed' }],
      [`/console/messages/${secret.id}/delete`, { as: me.ada }],
      ['/console/rooms', { as: me.ada, name: 'mine' }],
      ['/console/shares', { as: me.ada, turn: 't', room: 'general' }],
      ['/console/replies/t/stop', { as: me.ada }],
    ];
    for (const [path, body] of acts)
      expect([path, (await post(ben, path, body)).status]).toEqual([path, 403]);
    const upload = await ben.visit(at(`/console/files?name=x&as=${me.ada}`), { method: 'POST', body: 'x' });
    expect(upload.status).toBe(403);
  });

  it('does not see another’s events, live or missed', async () => {
    const since = (await stateOf(ben)).seq;
    const read = async (browser: Browser, from: number) => {
      const ended = new AbortController();
      const headers = { cookie: browser.cookies(hostOf()) };
      const response = await fetch(at(`/console/events?since=${from}`), { headers, signal: ended.signal });
      const chunks: string[] = [];
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const bytes of response.body ?? []) chunks.push(decoder.decode(bytes));
      })().catch(() => undefined);
      return { text: () => chunks.join(''), end: () => ended.abort(), reading };
    };
    const own = await read(ada, since);
    const foreign = await read(ben, since);
    await post(ada, `/console/rooms/${encodeURIComponent(room)}/messages`, {
      ...{ as: me.ada, text: 'live canary', files: [], nonce: 'live' },
    });
    await post(ada, '/console/rooms/general/messages', {
      as: me.ada,
      text: 'for all',
      files: [],
      nonce: 'all',
    });
    await expect.poll(() => foreign.text()).toContain('for all');
    await expect.poll(own.text).toContain('live canary');
    const missed = await read(ben, since - 1);
    await expect.poll(missed.text).toContain('for all');
    expect(foreign.text() + missed.text()).not.toContain('canary');
    // The page of another person, whose cookie the browser no longer has.
    const as = await fetch(at(`/console/events?since=${since}&as=${me.ben}`), {
      headers: { cookie: ada.cookies(hostOf()) },
    });
    expect([as.status, await as.text()]).toEqual([403, expect.stringContaining('not-you')]);
    own.end();
    missed.end();
    await Promise.all([own.reading, missed.reading]);
    await ben.visit(at('/console/sign-out'), { method: 'POST' });
    await foreign.reading;
  });

  it('does not read the receipt of another’s private answer', async () => {
    const turn = turnOf(rig.host.taken.at(-1), 'turn-private');
    await show(rig, turn, [documentOf(turn, { state: 'done', text: 'private answer' })]);
    const path = '/console/replies/turn-private/receipt';
    expect((await ada.visit(at(path))).status).toBe(200);
    expect((await ben.visit(at(path))).status).toBe(403);
    expect((await ben.visit(at('/console/replies/unknown/receipt'))).status).toBe(404);
    for (const act of ['suggest', 'ask-me', 'retry'])
      expect(
        (await post(ben, `/console/replies/turn-private/${act}`, { as: me.ben, nonce: 'n', text: 'x' }))
          .status,
      ).toBe(403);
    const share = { as: me.ben, turn: 'turn-private', room: 'general' };
    expect((await post(ben, '/console/shares', share)).status).toBe(403);
  });
});

describe('back-channel logout', () => {
  it('ends the person’s sessions at once when they sign out at the provider', async () => {
    const ada = await signInAs('ada');
    const ben = await signInAs('ben');
    const headers = { cookie: ada.cookies(hostOf()) };
    const stream = await fetch(at('/console/events'), { headers });
    const form = await ada.visit(`${provider.issuer}/session/end`);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    await ada.visit(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
    await expect.poll(async () => (await ada.visit(at('/console/state'))).status).toBe(401);
    // Reading to the end resolves only because the stream was closed.
    await stream.text();
    expect((await ben.visit(at('/console/state'))).status).toBe(200);
  });
});
