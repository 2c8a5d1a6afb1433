/** Tests the XMPP channel against a server that sends what no real server sends, and behaves as none may. */

import { afterEach, expect, test } from 'vitest';
import { roomOf } from '../fakes/xmpp/person.ts';
import { type StandIn, self, startStandIn } from '../fakes/xmpp/stand-in.ts';
import { type AdapterStage, BRIDGE, logInto, NICK, startAdapter } from './house/xmpp-adapter.ts';

const ROOM = roomOf('field');
const OWN = `${ROOM}/${NICK}`;
/** Pause before a room is joined again after a removal, in milliseconds. */
const AFTER_REMOVAL_MS = 15_000;
let server: StandIn;
let stage: AdapterStage;
/** Pauses that the adapter has begun, in milliseconds of its own time. */
let pauses: number[];

afterEach(async () => {
  await stage?.running.stop();
  await server?.close();
});

const poll = (look: () => unknown) => expect.poll(look, { timeout: 10_000, interval: 10 });

async function open(ways: Parameters<typeof startStandIn>[0] = {}, now: () => number = Date.now) {
  server = await startStandIn(ways);
  pauses = [];
  // Pauses of the adapter are 100 times shorter.
  const wait = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      pauses.push(ms);
      const timer = setTimeout(resolve, ms / 100);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  stage = await startAdapter({ port: server.port, rooms: [ROOM], host: { clock: { now, wait } } });
}

const joins = () =>
  server.received.filter(({ name, attrs }) => name === 'presence' && attrs.to === OWN).length;
const asks = (id: string, text: string) =>
  `<message from="ann@localhost/phone" to="${BRIDGE}" type="chat" id="${id}"><body>${text}</body></message>`;

const bomb =
  '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><message><body>&b;</body></message>';

test.each([
  ['an entity bomb', bomb],
  ['an entity that was never declared', '<message><body>&bomb;</body></message>'],
  ['a comment', '<!-- hello --><message/>'],
  ['XML that is not well-formed', '<message><body></message>'],
  ['a stanza of 2 MiB', `<message><body>${'x'.repeat(2_097_152)}</body></message>`],
  ['elements 1,000 deep', '<a>'.repeat(1_000)],
  ['the end of the stream', '</stream:stream>'],
  [
    'an error of the stream',
    '<stream:error><policy-violation xmlns="urn:ietf:params:xml:ns:xmpp-streams"/></stream:error>',
  ],
])('%s ends the connection; the next one works', async (_, evil) => {
  await open();
  await poll(() => joins()).toBe(1);
  server.send(asks('before', 'This was asked before the stream broke.'));
  await poll(() => stage.questions().length).toBe(1);
  server.send(evil);
  await poll(() => server.logins()).toBe(2);
  await poll(() => joins()).toBe(2);
  server.send(asks('after', 'This was asked after the stream broke.'));
  await poll(() => stage.questions().map(({ text }) => text)).toContain(
    'This was asked after the stream broke.',
  );
});

test('answers to requests, receipts and archives of strangers are ignored', async () => {
  await open();
  await poll(() => joins()).toBe(1);
  server.send(
    `<iq type="result" id="nobody-asked" from="eve@localhost"/><message from="eve@localhost/x" to="${BRIDGE}"><result xmlns="urn:xmpp:mam:2" queryid="forged"><forwarded xmlns="urn:xmpp:forward:0"><message xmlns="jabber:client" from="ann@localhost" type="chat" id="f"><body>Forged words of ann</body></message></forwarded></result></message>`,
  );
  server.send(
    `<message from="${BRIDGE}" to="${BRIDGE}/one"><received xmlns="urn:xmpp:carbons:2"><forwarded xmlns="urn:xmpp:forward:0"><message xmlns="jabber:client" from="ann@localhost/x" type="chat" id="c"><body>Carbon words of ann</body></message></forwarded></received></message>`,
  );
  server.send(
    `<message from="party@rooms.localhost" to="${BRIDGE}" id="i"><x xmlns="http://jabber.org/protocol/muc#user"><invite from="eve@localhost"/></x><body>Come to this room</body></message>`,
  );
  server.send(asks('real', 'This is what ann has written.'));
  await poll(() => stage.questions().length).toBe(1);
  expect(stage.questions()[0]?.text).toBe('This is what ann has written.');
});

test('a refused resume begins a new session, which joins the rooms again', async () => {
  await open();
  await poll(() => joins()).toBe(1);
  server.send('</stream:stream>');
  await server.sees(({ name, attrs }) => name === 'resume' && attrs.previd === 'session');
  await poll(() => joins()).toBe(2);
});

test('stanzas that were not stored when the connection broke are counted once', async () => {
  const stored = Promise.withResolvers<void>();
  server = await startStandIn({
    answer: ({ name }) =>
      name === 'resume'
        ? `<resumed xmlns="urn:xmpp:sm:3" previd="session" h="99"/>${asks('slow', 'This question is stored slowly by the bridge.')}`
        : name === 'a'
          ? ''
          : undefined,
  });
  stage = await startAdapter({ port: server.port, rooms: [], answer: () => stored.promise });
  await server.sees(({ name }) => name === 'enable');
  server.send(asks('slow', 'This question is stored slowly by the bridge.'));
  await poll(() => stage.taken.length).toBe(1);
  server.send('</stream:stream>');
  await server.sees(({ name, attrs }) => name === 'resume' && attrs.h === '0');
  await poll(() => server.received.filter(({ name }) => name === 'r').length).toBeGreaterThan(0);
  stored.resolve();
  await poll(() => {
    server.send('<r xmlns="urn:xmpp:sm:3"/>');
    return server.received.findLast(({ name }) => name === 'a')?.attrs.h;
  }).toBe('1');
  await new Promise((resolve) => setTimeout(resolve, 100));
  server.send('<r xmlns="urn:xmpp:sm:3"/>');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(server.received.findLast(({ name }) => name === 'a')?.attrs.h).toBe('1');
});

// ejabberd 23.01 was seen to do this (`resend_on_timeout`): it sent the unconfirmed messages of a session that was being
// replaced to the new session, before `<enabled/>`.
test('a stanza that arrives before stream management is enabled is handled, but not counted', async () => {
  const early = asks('early', 'Is this question handled, although it is early?');
  await open({
    answer({ name, xml }) {
      if (name === 'enable') return `${early}<enabled xmlns="urn:xmpp:sm:3" id="session" resume="true"/>`;
      // Without responses, no stanza is counted.
      return name === 'presence' || (name === 'iq' && !xml.includes('xmpp-bind')) ? '' : undefined;
    },
  });
  await poll(() => stage.questions().length).toBe(1);
  server.send('</stream:stream>');
  await server.sees(({ name, attrs }) => name === 'resume' && attrs.previd === 'session');
  expect(server.received.find(({ name }) => name === 'resume')?.attrs.h).toBe('0');
});

test('a room that drops the account, because an earlier session ended, is joined again at once', async () => {
  await open();
  await poll(() => joins()).toBe(1);
  server.send(self(OWN, '<status code="110"/>', 'unavailable'));
  await poll(() => joins()).toBe(2);
  expect(pauses).not.toContain(AFTER_REMOVAL_MS);
});

test('a room that drops the account once after each of two cuts is joined again at once', async () => {
  await open();
  await poll(() => joins()).toBe(1);
  for (const [before, after] of [
    [2, 3],
    [4, 5],
  ]) {
    server.send('</stream:stream>');
    await poll(() => joins()).toBe(before);
    server.send(self(OWN, '<status code="110"/>', 'unavailable'));
    await poll(() => joins()).toBe(after);
  }
  expect(pauses).not.toContain(AFTER_REMOVAL_MS);
});

test('a room that drops the account again and again is not joined without a pause', async () => {
  await open({
    answer: ({ name, attrs }) =>
      name === 'presence' && attrs.to === OWN
        ? self(OWN, '<status code="110"/>') + self(OWN, '<status code="110"/>', 'unavailable')
        : undefined,
  });
  await poll(() => joins()).toBeGreaterThanOrEqual(6);
  // The first removal may be followed by a join without a pause.
  const paused = pauses.filter((ms) => ms === AFTER_REMOVAL_MS).length;
  expect(joins()).toBeLessThanOrEqual(paused + 2);
});

test('a room that never answers is asked again', async () => {
  let asked = 0;
  await open({
    answer({ name, attrs }) {
      if (name !== 'presence' || attrs.to !== OWN) return undefined;
      asked += 1;
      return asked < 3 ? '' : undefined;
    },
  });
  await poll(() => joins()).toBe(3);
  await server.sees(({ name, attrs }) => name === 'iq' && attrs.to === ROOM);
});

test('a room that gives the account another nickname is answered under that name', async () => {
  await open();
  await poll(() => joins()).toBe(1);
  const renamed = '<status code="303"/><status code="110"/>';
  server.send(
    self(OWN, renamed, 'unavailable').replace('<item ', '<item nick="Registered" ') +
      self(`${ROOM}/Registered`, '<status code="110"/>'),
  );
  server.send(
    `<message from="${ROOM}/ann" to="${BRIDGE}" type="groupchat" id="q"><body>Registered: Who are you?</body></message>`,
  );
  await poll(() =>
    server.received.some(({ name, xml }) => name === 'message' && xml.includes('hides addresses')),
  ).toBe(true);
  expect(joins()).toBe(1);
});

test('a room that did not exist is opened, so that people can enter', async () => {
  await open({
    answer: ({ name, attrs }) =>
      name === 'presence' && attrs.to === OWN
        ? self(OWN, '<status code="201"/><status code="110"/>')
        : undefined,
  });
  await server.sees(
    ({ name, attrs, xml }) => name === 'iq' && attrs.to === ROOM && xml.includes('muc#owner'),
  );
});

test.each([
  [
    'no mechanism that is safe',
    '<mechanisms xmlns="urn:ietf:params:xml:ns:xmpp-sasl"><mechanism>X-OAUTH2</mechanism></mechanisms>',
    {},
  ],
  ['no STARTTLS', undefined, { tls: 'starttls' }],
])('without a password being sent, a server that offers %s is refused', async (_, features, settings) => {
  server = await startStandIn(features === undefined ? {} : { features });
  stage = await startAdapter({ port: server.port, rooms: [], settings });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(server.received.filter(({ name }) => name === 'auth')).toEqual([]);
});

test('data behind the answer to STARTTLS is not taken for data of the server', async () => {
  const injected =
    '<stream:features><mechanisms xmlns="urn:ietf:params:xml:ns:xmpp-sasl"><mechanism>PLAIN</mechanism></mechanisms></stream:features>';
  server = await startStandIn({
    features: '<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"><required/></starttls>',
    answer: ({ name }) =>
      name === 'starttls' ? `<proceed xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>${injected}` : undefined,
  });
  const lines: string[] = [];
  stage = await startAdapter({
    port: server.port,
    rooms: [],
    settings: { tls: 'starttls' },
    host: { log: logInto(lines) },
  });
  await poll(() => lines.join('\n')).toContain('data before TLS');
});
