import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signLogin } from '../../../sandbox/auth/routes.ts';
import { sandboxCatalogue } from '../../../sandbox/fixtures.ts';
import { formatJson, parseJson } from '../../../sandbox/http/json.ts';
import { createRouter, type Route } from '../../../sandbox/http/operation.ts';
import { openDatabase } from '../../../sandbox/store/database.ts';
import { createIds } from '../../../sandbox/store/ids.ts';
import { createSessions } from '../../../sandbox/store/sessions.ts';

describe('signature', () => {
  it.each([
    ['alice', '872534d23bd3789b6e48ae29424e7230'],
    ['用户@例.com', '9c967233f348b65b5f4c25d3f510de65'],
  ])('of %s is the documented one', (account, expected) => {
    const login = {
      client: 'demo-client',
      secret: 'demo-secret',
      timestamp: '1700000000000',
      nonce: 'a1b2c3',
    };
    expect(signLogin({ ...login, account })).toBe(expected);
  });
});

describe('json', () => {
  it('keeps integers of 19 digits whole in both directions', () => {
    expect(parseJson('{"a":4493041505002323001,"b":[7,1.5,"4493041505002323001"]}')).toEqual({
      a: '4493041505002323001',
      b: [7, 1.5, '4493041505002323001'],
    });
    expect(formatJson({ id: 4493041505002323001n })).toBe('{"id":4493041505002323001}');
  });

  it('reads the same as JSON.parse, with and without long integers', () => {
    const longInteger = /(^|[^.\d])\d{16}/;
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!longInteger.test(text));
        for (const read of [text, `["1234567890123456",${text}]`]) {
          expect(JSON.stringify(parseJson(read))).toBe(JSON.stringify(JSON.parse(read)));
        }
      }),
    );
  });
});

describe('ids', () => {
  it('have 19 digits and rise, even if the clock goes back or after a restart', () => {
    const database = openDatabase(undefined);
    let now = 1_700_000_000_000;
    const clock = { now: () => now, sleep: async () => undefined };
    const ids = createIds(database, clock);
    const sessions = createSessions(database, ids, clock);
    const record = sessions.begin({ session: undefined, agent: 'echo', account: 'a', question: 'q' });
    const made = [record, ids.next(), ids.next()];
    now -= 60_000;
    made.push(
      ids.next(),
      sessions.begin({ session: undefined, agent: 'echo', account: 'a', question: 'q' }),
      createIds(database, clock).next(),
    );
    for (const id of made) expect(id).toMatch(/^\d{19}$/);
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
  });

  it('continue above the ids of a store, but not above the fixed ids of the fixtures', () => {
    const clock = { now: () => 1_700_000_000_000, sleep: async () => undefined };
    const ids = createIds(openDatabase(undefined), clock);
    ids.startAbove('1700000000000500000');
    ids.startAbove('4493041505002320001');
    ids.startAbove('1600000000000000000');
    expect(ids.next()).toBe('1700000000000500001');
  });
});

describe('router', () => {
  const route = (id: string, path: string, method: Route['method'] = 'GET'): Route => ({
    id,
    path,
    method,
    face: 'lite',
    handle: async () => ({ status: 200, headers: {}, body: '' }),
  });
  const find = createRouter([
    route('one', '/a/{x}'),
    route('static', '/a/b'),
    route('post', '/a/b', 'POST'),
    route('slash', '/s/'),
  ]);

  it('prefers static paths, decodes once, ignores a trailing slash and respects case', () => {
    expect(find('GET', '/a/b')).toMatchObject({ route: { id: 'static' } });
    expect(find('POST', '/a/b/')).toMatchObject({ route: { id: 'post' } });
    expect(find('GET', '/a/x%40y%2525')).toMatchObject({ route: { id: 'one' }, params: { x: 'x@y%25' } });
    expect(find('GET', '/s')).toMatchObject({ route: { id: 'slash' } });
    expect(find('DELETE', '/a/b')).toBe('wrong-method');
    expect([find('GET', '/A/b'), find('GET', '/a/%E0%A4%A'), find('GET', '/a'), find('GET', '/')]).toEqual(
      Array(4).fill('unknown'),
    );
  });
});

describe('catalogue', () => {
  it('contains every agent once, with unique names, keys and ids', () => {
    const { agents } = sandboxCatalogue;
    expect(agents[0]?.name).toBe('knowledge');
    for (const member of ['name', 'apiKey', 'uuid', 'expertCode'] as const) {
      expect(new Set(agents.map((agent) => agent[member])).size).toBe(agents.length);
    }
  });
});
