/** Tests how the XMPP channel logs in to real servers: TLS, SRV records and password mechanisms. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Connection } from '../../channels/xmpp/stream/connection.ts';
import type { Account } from '../../channels/xmpp/stream/login.ts';
import { placesOf } from '../../channels/xmpp/stream/wire.ts';
import { onServers, withTls } from '../fakes/xmpp/on-servers.ts';
import { DOMAIN, PASSWORD, type ServerOptions, startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import { logInto } from './house/xmpp-adapter.ts';
import { examine } from './house/xmpp-doctor.ts';

const poll = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 20 });

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

/** Forms in which the two servers store passwords. The servers of other tests store them as sha1, or as they are. */
const hashes = { prosody: ['sha256', 'sha1'], ejabberd: ['sha512', 'sha256'] } as const;

onServers((name) =>
  withTls(({ certify, trust }) => {
    const start = (options: ServerOptions) =>
      startServer(name, ['parley'], { isUnlimited: true, ...options });
    let certified: XmppServer;
    let other: XmppServer;
    beforeAll(async () => {
      const [hash, otherHash] = hashes[name];
      certified = await start({ tls: await certify(DOMAIN), hash });
      other = await start({ tls: await certify('other.example'), hash: otherHash });
    });
    afterAll(() => Promise.all([certified, other].map((each) => each?.stop())));

    test('a valid certificate is accepted, another one refused: STARTTLS and direct TLS', async () => {
      const starttls = { tls: 'starttls', server: `127.0.0.1:${certified.port}` } as const;
      const direct = { tls: 'direct', server: `127.0.0.1:${certified.tlsPort}` } as const;
      expect(await login(starttls)).toMatch(/self-signed certificate|unable to/);
      expect(await login(direct)).toMatch(/self-signed certificate|unable to/);
      trust();
      expect(await login(starttls)).toBe('online');
      expect(await login(direct)).toBe('online');
    });

    test('the certificate of another domain is refused, also if its authority is trusted', async () => {
      trust();
      const wrong = /Hostname\/IP does not match certificate/;
      expect(await login({ tls: 'starttls', server: `127.0.0.1:${other.port}` })).toMatch(wrong);
      expect(await login({ tls: 'direct', server: `127.0.0.1:${other.tlsPort}` })).toMatch(wrong);
    });

    test('the records of DNS name the server, and a dead one is skipped', async () => {
      trust();
      const asked: string[] = [];
      const resolve = async (record: string) => {
        asked.push(record);
        const common = { name: '127.0.0.1', weight: 1 };
        const port = record.startsWith('_xmpps') ? certified.tlsPort : certified.port;
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
      await server.stop();
    });

    test('the login works with each form of stored passwords, and a wrong password is refused', async () => {
      for (const { port } of [certified, other]) {
        const place = { tls: 'none', server: `127.0.0.1:${port}` } as const;
        expect(await login(place)).toBe('online');
        expect(await login({ ...place, password: { reveal: () => 'wrong' } })).toContain('not-authorized');
      }
    });

    test('a certificate that is not trusted, of another name, or missing is named by the doctor', async () => {
      const starttls = { tls: 'starttls', server: `127.0.0.1:${certified.port}` };
      expect((await examine(starttls))['XMPP certificate']).toMatch(/^FAULT: .*NODE_EXTRA_CA_CERTS/);
      trust();
      expect((await examine(starttls))['XMPP certificate']).toMatch(`good: valid for ${DOMAIN}, TLSv1.`);
      const direct = { tls: 'direct', server: `127.0.0.1:${certified.port}` };
      expect((await examine(direct))['XMPP certificate']).toMatch(/^FAULT: .*Set xmpp\.tls to starttls/);
      const there = { tls: 'direct', server: `127.0.0.1:${other.tlsPort}` };
      expect((await examine(there))['XMPP certificate']).toMatch(
        /^FAULT: .*does not match.*certificate for localhost/,
      );
    });
  }),
);

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
