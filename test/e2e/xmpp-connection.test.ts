/** Tests the connection of the XMPP channel to real servers: sessions that are resumed, or not. */

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Intake } from '../../src/kit.ts';
import { seeded } from '../fakes/seeded.ts';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf, type XmppPerson } from '../fakes/xmpp/person.ts';
import { type CutProxy, startProxy } from '../fakes/xmpp/proxy.ts';
import { startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import {
  type AdapterStage,
  answerTo,
  NICK,
  questionIn,
  settled,
  startAdapter,
  turnFor,
  untilJoined,
} from './house/xmpp-adapter.ts';

let rooms = 0;
const poll = (look: () => unknown, timeout = 15_000) => expect.poll(look, { timeout, interval: 20 });

onServers((name) => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  let server: XmppServer;
  let forgetful: XmppServer;
  beforeAll(async () => {
    const people = ['parley', 'ann'];
    server = await startServer(name, people, { isUnlimited: true });
    forgetful = await startServer(name, people, { isUnlimited: true, resumeSeconds: 1 });
  });
  afterAll(() => Promise.all([server, forgetful].map((each) => each?.stop())));

  let ann: XmppPerson;
  let proxy: CutProxy;
  let stage: AdapterStage;
  let room: string;
  /** Connects the adapter to the server through a proxy that is cut. */
  async function open({ port }: XmppServer, answer?: (event: Intake) => Promise<void> | void) {
    rooms += 1;
    room = roomOf(`cut-${rooms}`);
    proxy = await startProxy(port);
    closing.push(() => proxy.close());
    ann = await connectPerson(port, 'ann');
    closing.push(() => ann.close());
    await ann.join(room);
    stage = await startAdapter({ port: proxy.port, rooms: [room], ...(answer && { answer }) });
    closing.push(() => stage.running.stop());
    await untilJoined(ann, room);
  }
  const texts = () => stage.questions().map(({ text }) => text);
  const left = () =>
    ann.stanzas.filter(({ attrs }) => attrs.from === `${room}/${NICK}` && attrs.type === 'unavailable');

  test('a resumed session loses nothing and doubles nothing', async () => {
    await open(server);
    const random = seeded(15);
    const due: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const turn = turnFor(questionIn(room, `round-${round}`));
      const written = stage.write(answerTo(turn, `The answer of round ${round}.`), turn);
      // A held proxy loses what was sent last, in both directions.
      if (random() < 0.5) proxy.hold();
      const text = `Is this question number ${round} of those that are asked?`;
      due.push(text);
      await ann.says(room, `${NICK}: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 40 * random()));
      proxy.cut();
      await written;
      await poll(() => proxy.count()).toBe(round + 2);
      await poll(() => stage.running.isOnline()).toBe(true);
    }
    await poll(() => texts().length).toBeGreaterThanOrEqual(due.length);
    await settled(ann, room);
    expect([...new Set(texts())]).toEqual(due);
    const shown = ann.seen(room).filter(({ text }) => text.startsWith('The answer of round'));
    expect(shown.map(({ text }) => text)).toEqual(
      Array.from({ length: 12 }, (_, round) => `The answer of round ${round}.`),
    );
    // The session was never replaced: the bridge has not left the room.
    expect(left()).toEqual([]);
  });

  test('a cut while questions are being stored does not break the resumed session', async () => {
    let isSlow = true;
    const stored = Promise.withResolvers<void>();
    await open(server, () => (isSlow ? stored.promise : undefined));
    await ann.says(room, `${NICK}: Is this question stored slowly by the bridge?`);
    await poll(() => texts().length).toBe(1);
    proxy.cut();
    await poll(() => proxy.count()).toBe(2);
    await poll(() => stage.running.isOnline()).toBe(true);
    isSlow = false;
    stored.resolve();
    await ann.says(room, `${NICK}: Is this question stored quickly by the bridge?`);
    await poll(() => new Set(texts()).size).toBe(2);
    // The server ends a session that has acknowledged more than was sent.
    for (let nth = 0; nth < 5; nth += 1) {
      const turn = turnFor(questionIn(room, `after-${nth}`));
      expect(await stage.write(answerTo(turn, 'Yes, and this arrives.'), turn)).toBe('done');
      await settled(ann, room);
    }
    expect(proxy.count()).toBe(2);
    expect(left()).toEqual([]);
  });

  test('if the session cannot be resumed, the archive tells what was asked meanwhile', async () => {
    await open(forgetful);
    proxy.accept(false);
    proxy.cut();
    await poll(() => left().length).toBe(1);
    await ann.says(room, `${NICK}: Is this question asked while the bridge is away?`);
    proxy.accept(true);
    await poll(() => texts(), 30_000).toEqual(['Is this question asked while the bridge is away?']);
    const turn = turnFor(questionIn(room, 'back'));
    await poll(() => stage.write(answerTo(turn, 'Here again.'), turn)).toBe('done');
  });
});
