/** Tests sign-in with a provider whose tokens, keys, claims and metadata are wrong. Nobody may be let in. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignInConfig } from '../../../adapters/console/config.ts';
import type { ConsoleState } from '../../../adapters/console/wire.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import {
  type Forger,
  makeSigner,
  openForger,
  signedWithPublicKey,
  unsigned,
} from '../../fakes/oidc/forger.ts';
import { base, openSignInRig, signInConfig } from './provider-rig.ts';
import type { Rig } from './rig.ts';

let forger: Forger;
let rig: Rig;
const logged: string[] = [];

async function open(members: Partial<SignInConfig> = {}): Promise<void> {
  const config = { claims: { name: 'name', email: 'email' }, ...members };
  const log = (_fields: object, text: string) => void logged.push(text);
  rig = await openSignInRig(signInConfig(forger.issuer, await freePort(), config), {
    host: (host) => Object.assign(host.log, { warn: log }),
  });
}

beforeEach(async () => {
  logged.length = 0;
  forger = await openForger();
});
afterEach(async () => {
  await rig.close();
  await forger.close();
});

/**
 * Signs in. Skips the provider's page: visits the address to which the provider would send the browser back. Returns
 * the address to which the console sends the browser.
 */
async function attempt(browser = new Browser()): Promise<string> {
  const { location = '' } = await browser.visit(`${base(rig)}/console/sign-in/start`);
  if (!location.startsWith(forger.issuer)) return location.replace(base(rig), '');
  const asked = new URL(location).searchParams;
  forger.nonce = asked.get('nonce') ?? '';
  const query = new URLSearchParams({ code: 'code', state: asked.get('state') ?? '' });
  const visit = await browser.visit(`${base(rig)}/console/sign-in/callback?${query}`);
  const letIn = visit.setCookie.some((cookie) => /^parley_session=[^;]/.test(cookie));
  expect(letIn).toBe(visit.location === `${base(rig)}/`);
  return visit.location?.replace(base(rig), '') ?? '';
}

const stateOf = async (browser: Browser) =>
  JSON.parse((await browser.visit(`${base(rig)}/console/state`)).text) as ConsoleState;
const REFUSED = '/?sign-in=refused';
const UNAVAILABLE = '/?sign-in=unavailable';
const past = () => Math.floor(Date.now() / 1000) - 3_600;

describe('a bad ID token', () => {
  beforeEach(() => open());

  it('is told from a good one', async () => {
    expect(await attempt()).toBe('/');
    expect(logged).toEqual([]);
  });

  const bad: readonly (readonly [string, Partial<Pick<Forger, 'claims' | 'token'>>])[] = [
    ['none', { token: async () => '' }],
    ['that is not a token', { token: async () => 'a.b.c' }],
    ['for another audience', { claims: (claims) => ({ ...claims, aud: 'other' }) }],
    [
      'for several audiences, authorized for another',
      { claims: (claims) => ({ ...claims, aud: ['parley-console', 'other'], azp: 'other' }) },
    ],
    ['of another issuer', { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['that has expired', { claims: (claims) => ({ ...claims, iat: past(), exp: past() + 60 }) }],
    [
      'that is not valid yet',
      { claims: (claims) => ({ ...claims, nbf: Math.floor(Date.now() / 1000) + 3_600 }) },
    ],
    ['without an expiry', { claims: ({ exp: _, ...claims }) => claims }],
    ['without a subject', { claims: ({ sub: _, ...claims }) => claims }],
    ['with a subject that is no text', { claims: (claims) => ({ ...claims, sub: 7 as never }) }],
    ['without a nonce', { claims: ({ nonce: _, ...claims }) => claims }],
    ['with the nonce of another sign-in', { claims: (claims) => ({ ...claims, nonce: 'other' }) }],
    ['without a signature', { token: async (claims) => unsigned(claims) }],
    [
      'signed with the public key as a secret',
      { token: (claims) => signedWithPublicKey(claims, forger.signer) },
    ],
    [
      'signed with the key of somebody else under a known id',
      {
        token: async (claims) => {
          const own = forger.signer;
          forger.signer = await makeSigner('one');
          const token = await forger.sign(claims);
          forger.signer = own;
          return token;
        },
      },
    ],
    ['signed with an unknown key', { token: (claims) => forger.sign(claims, { kid: 'other' }) }],
    [
      'whose signature was cut off',
      { token: async (claims) => (await forger.sign(claims)).replace(/[^.]+$/, '') },
    ],
    [
      'whose claims were changed after signing',
      {
        token: async (claims) => {
          const [header, , signature] = (await forger.sign(claims)).split('.');
          const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'ben' })).toString('base64url');
          return `${header}.${changed}.${signature}`;
        },
      },
    ],
  ];

  it.each(bad)('%s lets nobody in', async (_which, forge) => {
    Object.assign(forger, forge);
    const browser = new Browser();
    expect(await attempt(browser)).toBe(REFUSED);
    expect((await browser.visit(`${base(rig)}/console/state`)).status).toBe(401);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/^A sign-in was refused: /);
    expect(logged[0]).not.toContain('eyJ');
  });
});

describe('claims', () => {
  const refusedFor = async (claim: string) => {
    expect(await attempt()).toBe(REFUSED);
    expect(logged.at(-1)).toContain(`"${claim}"`);
    logged.length = 0;
  };

  it('that are missing or have the wrong type let nobody in, and the log names them', async () => {
    await open({ claims: { name: 'name', email: 'email', groups: 'groups' } });
    forger.claims = ({ name: _, ...claims }) => ({ ...claims, groups: [] });
    await refusedFor('name');
    for (const name of [7, '', ' ', ['Ada'], 'A\u202Eda']) {
      forger.claims = (claims) => ({ ...claims, name, groups: [] });
      await refusedFor('name');
    }
    for (const email of [7, 'nobody', ['a@b'], 'a b@c']) {
      forger.claims = (claims) => ({ ...claims, email, groups: [] });
      await refusedFor('email');
    }
    for (const groups of [undefined, 'staff', [7], [['staff']], [''], ['a\u0000'], Array(1_001).fill('g')]) {
      forger.claims = (claims) => ({ ...claims, ...(groups !== undefined && { groups }) });
      await refusedFor('groups');
    }
  });

  it('with an address that Unicode folds to another person’s address do not give that address', async () => {
    await open();
    forger.claims = (claims) => ({ ...claims, email: 'MAR\u212a@Example.org' });
    const browser = new Browser();
    expect(await attempt(browser)).toBe('/');
    expect((await stateOf(browser)).people[0]?.title).toBe('mar\u212a@example.org');
  });

  it.each([
    ['name', ['A\u2067da', 'A\u200bda', '\u3164', '...', 'A\nda', '\u2800']],
    ['email', ['a\u202ea@b.example', 'a\u200bda@b.example', 'a@b.example\u2069']],
  ])('with a %s that cannot be seen as it is let nobody in (attack S30)', async (claim, values) => {
    await open();
    for (const value of values) {
      forger.claims = (claims) => ({ ...claims, [claim]: value });
      await refusedFor(claim);
    }
  });

  it('that name the bot, an agent or another person get a number, also in other letters (attack S30)', async () => {
    await open();
    const nameOf = async (sub: string, name: string) => {
      forger.claims = (claims) => ({ ...claims, sub, name, email: `${sub}@example.org` });
      const browser = new Browser();
      expect(await attempt(browser)).toBe('/');
      const state = await stateOf(browser);
      return state.people.find(({ id }) => id === state.me)?.name;
    };
    expect(await nameOf('one', 'Ada Lindqvist')).toBe('Ada Lindqvist');
    expect(await nameOf('two', 'Adа Lindqvist')).toBe('Adа Lindqvist (2)');
    expect(await nameOf('three', 'ada  lindqvist')).toBe('ada  lindqvist (3)');
    expect(await nameOf('four', 'Parley')).toBe('Parley (2)');
    expect(await nameOf('five', 'Knowledge')).toBe('Knowledge (2)');
    rig = await rig.restart();
    expect(await nameOf('two', 'Adа Lindqvist')).toBe('Adа Lindqvist (2)');
    expect(await nameOf('one', 'Ada Lindqvist')).toBe('Ada Lindqvist');
    expect(await nameOf('two', 'Berta')).toBe('Berta');
  });

  it('of 10,000 groups, of 2 MiB, or with endless nesting let nobody in, and the next sign-in works', async () => {
    await open({ claims: { name: 'name', email: 'email', groups: 'groups' } });
    forger.claims = (claims) => ({
      ...claims,
      groups: Array.from({ length: 10_000 }, (_, nth) => `g${nth}`),
    });
    expect(await attempt()).toBe(REFUSED);
    forger.claims = (claims) => ({ ...claims, groups: [], name: 'a'.repeat(2 * 1024 * 1024) });
    expect([REFUSED, UNAVAILABLE]).toContain(await attempt());
    forger.token = async (claims) => {
      const [head, , signature] = (await forger.sign(claims)).split('.');
      const deep = Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).toString('base64url');
      return `${head}.${deep}.${signature}`;
    };
    forger.claims = (claims) => ({ ...claims, groups: [] });
    expect(await attempt()).toBe(REFUSED);
    forger.token = (claims) => forger.sign(claims);
    expect(await attempt()).toBe('/');
  });

  it('may have other names, and come from userinfo', async () => {
    await open({ claims: { name: 'display_name', email: 'upn', groups: 'roles' }, trustEmail: true });
    forger.userinfo = { display_name: 'Ada', upn: 'Ada@Example.org', roles: ['staff'] };
    const browser = new Browser();
    expect(await attempt(browser)).toBe('/');
    const { people, me } = await stateOf(browser);
    expect(people).toEqual([{ id: me, name: 'Ada', title: 'ada@example.org' }]);
  });

  it('of another person at userinfo let nobody in', async () => {
    await open({ claims: { name: 'display_name', email: 'email' } });
    forger.userinfo = { sub: 'ben', display_name: 'Ben' };
    expect(await attempt()).toBe(REFUSED);
  });

  it.each([
    [undefined],
    [false],
    ['true'],
    [1],
  ])('with email_verified %j give the person no e-mail address', async (email_verified) => {
    await open();
    forger.claims = ({ email_verified: _, ...claims }) => ({
      ...claims,
      ...(email_verified !== undefined && { email_verified }),
    });
    const browser = new Browser();
    expect(await attempt(browser)).toBe('/');
    expect((await stateOf(browser)).people[0]?.title).toBe('');
  });

  it('of equal subjects at two issuers make two people', async () => {
    await open();
    const first = new Browser();
    await attempt(first);
    const { me } = await stateOf(first);
    await rig.close();
    await forger.close();
    forger = await openForger();
    await open();
    const second = new Browser();
    await attempt(second);
    expect((await stateOf(second)).me).not.toBe(me);
  });
});

describe('the provider', () => {
  beforeEach(() => open());

  it('may rotate its keys at any time', async () => {
    expect(await attempt()).toBe('/');
    forger.signer = await makeSigner('two');
    forger.published = [forger.signer];
    expect(await attempt()).toBe('/');
    forger.signer = await makeSigner('two');
    forger.published = [forger.signer];
    expect(await attempt()).toBe('/');
  });

  it('that goes down between the two steps lets nobody in', async () => {
    const browser = new Browser();
    const { location = '' } = await browser.visit(`${base(rig)}/console/sign-in/start`);
    forger.down = 503;
    const state = new URL(location).searchParams.get('state') ?? '';
    const visit = await browser.visit(`${base(rig)}/console/sign-in/callback?code=c&state=${state}`);
    expect(visit.location).toBe(`${base(rig)}${UNAVAILABLE}`);
    expect(visit.setCookie.join()).not.toContain('parley_session');
  });

  it('whose metadata names another issuer is not used', async () => {
    forger.metadata = (metadata) => ({ ...metadata, issuer: 'https://evil.example' });
    expect(await attempt()).toBe(REFUSED);
    expect(forger.seen).toEqual(['/.well-known/openid-configuration']);
  });
});

describe('a logout token', () => {
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
  const usual = () => ({
    ...{ iss: forger.issuer, aud: 'parley-console', sub: 'ada', jti: crypto.randomUUID() },
    ...{
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 60,
      events: { [EVENT]: {} },
    },
  });
  const send = async (token: string) => {
    const body = new URLSearchParams({ logout_token: token });
    return (await fetch(`${base(rig)}/console/sign-in/logout`, { method: 'POST', body })).status;
  };
  const signedIn = async (sid?: string) => {
    const browser = new Browser();
    forger.claims = (claims) => ({ ...claims, ...(sid !== undefined && { sid }) });
    expect(await attempt(browser)).toBe('/');
    return async () => (await browser.visit(`${base(rig)}/console/state`)).status;
  };
  beforeEach(() => open());

  it('ends all sessions of its person, or only the one that it names', async () => {
    const [first, second] = [await signedIn('one'), await signedIn('two')];
    expect(await send(await forger.sign({ ...usual(), sid: 'one' }))).toBe(200);
    expect([await first(), await second()]).toEqual([401, 200]);
    const { sub: _, ...bySession } = usual();
    expect(await send(await forger.sign({ ...bySession, sid: 'two' }))).toBe(200);
    expect(await second()).toBe(401);
    const third = await signedIn();
    expect(await send(await forger.sign(usual()))).toBe(200);
    expect(await third()).toBe(401);
  });

  it('that is bad, or used twice, ends no session', async () => {
    const used = await forger.sign(usual());
    expect(await send(used)).toBe(200);
    const session = await signedIn();
    const other = await makeSigner('one');
    const { sub: _, ...nobody } = usual();
    const { jti: _jti, ...unnumbered } = usual();
    const { events: _events, ...eventless } = usual();
    const bad = [
      ...['', 'a.b.c', used, unsigned(usual()), await signedWithPublicKey(usual(), forger.signer)],
      await forger.sign({ ...usual(), aud: 'other' }),
      await forger.sign({ ...usual(), iss: 'https://evil.example' }),
      await forger.sign({ ...usual(), iat: past(), exp: past() + 60 }),
      await forger.sign({ ...usual(), iat: past(), exp: Math.floor(Date.now() / 1000) + 60 }),
      await forger.sign({ ...usual(), nonce: 'n' }),
      await forger.sign({ ...usual(), events: {} }),
      ...(await Promise.all([nobody, unnumbered, eventless].map((claims) => forger.sign(claims)))),
      await forger.sign(usual(), { kid: 'other' }),
    ];
    const own = forger.signer;
    forger.signer = other;
    bad.push(await forger.sign(usual()));
    forger.signer = own;
    for (const token of bad) expect(await send(token)).toBe(400);
    expect(await session()).toBe(200);
  });

  it('that is bad, and failed sign-ins, do not fill the log, however many strangers send', async () => {
    logged.length = 0;
    for (let nth = 0; nth < 60; nth += 1) expect(await send('a.b.c')).toBe(400);
    forger.claims = (claims) => ({ ...claims, aud: 'other' });
    for (let nth = 0; nth < 10; nth += 1) expect(await attempt()).toBe(REFUSED);
    expect(logged).toHaveLength(21);
    expect(logged.at(-1)).toContain('are not logged');
  });
});

describe('300 made-up codes (attack S29)', () => {
  const tokens = () => forger.seen.filter((path) => path === '/token').length;
  beforeEach(async () => {
    await open();
    forger.token = async () => '';
  });

  it('sent at once become few requests to the provider, and a minute later people sign in', async () => {
    const failures = await Promise.all(Array.from({ length: 300 }, () => attempt()));
    expect(new Set(failures)).toEqual(new Set([REFUSED, UNAVAILABLE]));
    expect(tokens()).toBe(20);
    forger.token = (claims) => forger.sign(claims);
    expect(await attempt()).toBe(UNAVAILABLE);
    const now = Date.now();
    rig.host.clock.now = () => now + 60_000;
    expect(await attempt()).toBe('/');
  });

  it('without the cookie or with a state that was used become none, and keep nobody out', async () => {
    const browser = new Browser();
    const { location = '' } = await browser.visit(`${base(rig)}/console/sign-in/start`);
    const state = new URL(location).searchParams.get('state') ?? '';
    const send = (who: Browser, sent: string) =>
      who.visit(
        `${base(rig)}/console/sign-in/callback?${new URLSearchParams({ code: 'junk', state: sent })}`,
      );
    await send(browser, state);
    expect(tokens()).toBe(1);
    const kept = [...browser.jar.values()].map((own) => new Map(own));
    expect(kept).toEqual([new Map()]);
    for (let sent = 0; sent < 50; sent += 1) {
      for (const text of [state, 'x', '', `${state}x`]) await send(browser, text);
      await send(new Browser(), state);
    }
    expect(tokens()).toBe(1);
    forger.token = (claims) => forger.sign(claims);
    expect(await attempt()).toBe('/');
  });
});
