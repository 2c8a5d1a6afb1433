/** Tests the connection of the XMPP channel to real servers: TLS, the login, SRV records, and resumed sessions. */

import { afterEach, describe, expect, test } from 'vitest';
import { Connection } from '../../channels/xmpp/stream/connection.ts';
import type { Account } from '../../channels/xmpp/stream/login.ts';
import { placesOf } from '../../channels/xmpp/stream/wire.ts';
import type { Intake } from '../../src/kit.ts';
import { seeded } from '../fakes/seeded.ts';
import { onServers, withTls } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf, type XmppPerson } from '../fakes/xmpp/person.ts';
import { type CutProxy, startProxy } from '../fakes/xmpp/proxy.ts';
import { DOMAIN, PASSWORD, type ServerOptions, startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import {
  type AdapterStage,
  answerTo,
  logInto,
  NICK,
  questionIn,
  settled,
  startAdapter,
  turnFor,
  untilJoined,
} from './house/xmpp-adapter.ts';

const ROOM = roomOf('cut');
const poll = (look: () => unknown, timeout = 15_000) => expect.poll(look, { timeout, interval: 20 });

onServers((name) => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  const start = async (options: ServerOptions): Promise<XmppServer> => {
    const server = await startServer(name, ['parley', 'ann'], { isUnlimited: true, ...options });
    closing.push(() => server.stop());
    return server;
  };

  /** Logs in, and resolves with the outcome: `online`, or the reason why not. */
  async function login(over: Partial<Account>): Promise<string> {
    const lines: string[] = [];
    const account: Account = {
      ...{ user: 'parley', domain: DOMAIN, password: { reveal: () => PASSWORD }, resource: 'one' },
      ...{ tls: 'starttls', ...over },
    };
    let isOnline = false;
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 50)));
    const connection = new Connection({ account, log: logInto(lines), clock: { now: Date.now, wait } });
    connection.start({
      handle: async () => undefined,
      began: () => {
        isOnline = true;
      },
    });
    await poll(() => isOnline || lines.length > 0).toBe(true);
    await connection.stop();
    return isOnline ? 'online' : lines.join('\n');
  }

  withTls(({ certify, trust }) => {
    test('a valid certificate is accepted, another one refused: STARTTLS and direct TLS', async () => {
      const tls = await certify(DOMAIN);
      const server = await start({ tls });
      const starttls = { tls: 'starttls', server: `127.0.0.1:${server.port}` } as const;
      const direct = { tls: 'direct', server: `127.0.0.1:${server.tlsPort}` } as const;
      expect(await login(starttls)).toMatch(/self-signed certificate|unable to/);
      expect(await login(direct)).toMatch(/self-signed certificate|unable to/);
      trust();
      expect(await login(starttls)).toBe('online');
      expect(await login(direct)).toBe('online');
    });

    test('the certificate of another domain is refused, also if its authority is trusted', async () => {
      const server = await start({ tls: await certify('other.example') });
      trust();
      const wrong = /Hostname\/IP does not match certificate/;
      expect(await login({ tls: 'starttls', server: `127.0.0.1:${server.port}` })).toMatch(wrong);
      expect(await login({ tls: 'direct', server: `127.0.0.1:${server.tlsPort}` })).toMatch(wrong);
    });

    test('the records of DNS name the server, and a dead one is skipped', async () => {
      const server = await start({ tls: await certify(DOMAIN) });
      trust();
      const asked: string[] = [];
      const resolve = async (record: string) => {
        asked.push(record);
        const common = { name: '127.0.0.1', weight: 1 };
        const port = record.startsWith('_xmpps') ? server.tlsPort : server.port;
        return [
          { ...common, priority: 20, port },
          { ...common, priority: 10, port: 1 },
        ];
      };
      expect(await login({ tls: 'starttls', resolve })).toBe('online');
      expect(await login({ tls: 'direct', resolve })).toBe('online');
      expect(asked).toEqual([`_xmpp-client._tcp.${DOMAIN}`, `_xmpps-client._tcp.${DOMAIN}`]);
    });

    test('a plain password is sent over TLS only', async () => {
      const server = await start({ tls: await certify(DOMAIN), isPlain: true });
      trust();
      expect(await login({ tls: 'starttls', server: `127.0.0.1:${server.port}` })).toBe('online');
    });
  });

  test.each(
    name === 'prosody' ? (['sha1', 'sha256'] as const) : (['sha1', 'sha256', 'sha512'] as const),
  )('the login works with passwords stored as %s, and a wrong password is refused', async (hash) => {
    const server = await start({ hash });
    const place = { tls: 'none', server: `127.0.0.1:${server.port}` } as const;
    expect(await login(place)).toBe('online');
    expect(await login({ ...place, password: { reveal: () => 'wrong' } })).toContain('not-authorized');
  });

  describe('through a proxy that is cut', () => {
    let ann: XmppPerson;
    let proxy: CutProxy;
    let stage: AdapterStage;
    async function open(options: ServerOptions, answer?: (event: Intake) => Promise<void> | void) {
      const server = await start(options);
      proxy = await startProxy(server.port);
      closing.push(() => proxy.close());
      ann = await connectPerson(server.port, 'ann');
      closing.push(() => ann.close());
      await ann.join(ROOM);
      stage = await startAdapter({ port: proxy.port, rooms: [ROOM], ...(answer && { answer }) });
      closing.push(() => stage.running.stop());
      await untilJoined(ann, ROOM);
    }
    const texts = () => stage.questions().map(({ text }) => text);
    const left = () =>
      ann.stanzas.filter(({ attrs }) => attrs.from === `${ROOM}/${NICK}` && attrs.type === 'unavailable');

    test('a resumed session loses nothing and doubles nothing', async () => {
      await open({});
      const random = seeded(15);
      const due: string[] = [];
      for (let round = 0; round < 12; round += 1) {
        const turn = turnFor(questionIn(ROOM, `round-${round}`));
        const written = stage.write(answerTo(turn, `The answer of round ${round}.`), turn);
        // A held proxy loses what was sent last, in both directions.
        if (random() < 0.5) proxy.hold();
        const text = `Is this question number ${round} of those that are asked?`;
        due.push(text);
        await ann.says(ROOM, `${NICK}: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 40 * random()));
        proxy.cut();
        await written;
        await poll(() => proxy.count()).toBe(round + 2);
        await poll(() => stage.running.isOnline()).toBe(true);
      }
      await poll(() => texts().length).toBeGreaterThanOrEqual(due.length);
      await settled(ann, ROOM);
      expect([...new Set(texts())]).toEqual(due);
      const shown = ann.seen(ROOM).filter(({ text }) => text.startsWith('The answer of round'));
      expect(shown.map(({ text }) => text)).toEqual(
        Array.from({ length: 12 }, (_, round) => `The answer of round ${round}.`),
      );
      // The session was never replaced: the bridge has not left the room.
      expect(left()).toEqual([]);
    });

    test('a cut while questions are being stored does not break the resumed session', async () => {
      let isSlow = true;
      const stored = Promise.withResolvers<void>();
      await open({}, () => (isSlow ? stored.promise : undefined));
      await ann.says(ROOM, `${NICK}: Is this question stored slowly by the bridge?`);
      await poll(() => texts().length).toBe(1);
      proxy.cut();
      await poll(() => proxy.count()).toBe(2);
      await poll(() => stage.running.isOnline()).toBe(true);
      isSlow = false;
      stored.resolve();
      await ann.says(ROOM, `${NICK}: Is this question stored quickly by the bridge?`);
      await poll(() => new Set(texts()).size).toBe(2);
      // The server ends a session that has acknowledged more than was sent.
      for (let nth = 0; nth < 5; nth += 1) {
        const turn = turnFor(questionIn(ROOM, `after-${nth}`));
        expect(await stage.write(answerTo(turn, 'Yes, and this arrives.'), turn)).toBe('done');
        await settled(ann, ROOM);
      }
      expect(proxy.count()).toBe(2);
      expect(left()).toEqual([]);
    });

    test('if the session cannot be resumed, the archive tells what was asked meanwhile', async () => {
      await open({ resumeSeconds: 1 });
      proxy.accept(false);
      proxy.cut();
      await poll(() => left().length).toBe(1);
      await ann.says(ROOM, `${NICK}: Is this question asked while the bridge is away?`);
      proxy.accept(true);
      await poll(() => texts(), 30_000).toEqual(['Is this question asked while the bridge is away?']);
      const turn = turnFor(questionIn(ROOM, 'back'));
      await poll(() => stage.write(answerTo(turn, 'Here again.'), turn)).toBe('done');
    });
  });
});

test.each([
  ['without records, the domain itself', [], [{ host: DOMAIN, port: 5222 }]],
  [
    'with records, their hosts by priority and weight',
    [
      { name: 'b.example', port: 2, priority: 10, weight: 1 },
      { name: 'c.example', port: 3, priority: 20, weight: 9 },
      { name: 'a.example', port: 1, priority: 10, weight: 5 },
    ],
    [
      { host: 'a.example', port: 1 },
      { host: 'b.example', port: 2 },
      { host: 'c.example', port: 3 },
    ],
  ],
])('%s is called', async (_, records, places) => {
  const resolve = async () => records;
  expect(await placesOf({ domain: DOMAIN, tls: 'starttls', resolve })).toEqual(places);
});

test('if DNS says that there is no such service, the domain itself is not called', async () => {
  const resolve = async () => [{ name: '.', port: 0, priority: 0, weight: 0 }];
  await expect(placesOf({ domain: DOMAIN, tls: 'starttls', resolve })).rejects.toThrow('no such service');
});
