/** Tests single behaviours of the XMPP channel on real servers: files, rooms that change, and other programs. */

import { type XmlElement, xml } from '@xmpp/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Intake, type Message, turnId } from '../../src/kit.ts';
import { PNG } from '../fakes/pixel.ts';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf, type XmppPerson } from '../fakes/xmpp/person.ts';
import { startProxy } from '../fakes/xmpp/proxy.ts';
import { DOMAIN, startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import {
  type AdapterStage,
  answerTo,
  BRIDGE,
  logInto,
  NICK,
  questionIn,
  settled,
  startAdapter,
  turnFor,
  untilJoined,
} from './house/xmpp-adapter.ts';

const UPLOAD = 'urn:xmpp:http:upload:0';
const FALLBACK = 'urn:xmpp:fallback:0';
const FILES = 'urn:xmpp:sfs:0';
const OWNER = 'http://jabber.org/protocol/muc#owner';
const ADMIN = 'http://jabber.org/protocol/muc#admin';
/** The largest file that the servers accept here, in bytes. */
const UPLOAD_BYTES = 20_000;
const { signal } = new AbortController();

onServers((name) => {
  let server: XmppServer;
  let ann: XmppPerson;
  let robot: XmppPerson;
  let stage: AdapterStage | undefined;
  let rooms = 0;
  beforeAll(async () => {
    server = await startServer(name, ['parley', 'ann', 'robot'], {
      isUnlimited: true,
      uploadBytes: UPLOAD_BYTES,
    });
    ann = await connectPerson(server.port, 'ann');
    robot = await connectPerson(server.port, 'robot');
  });
  afterEach(async () => {
    await stage?.running.stop();
    stage = undefined;
  });
  afterAll(async () => {
    await Promise.all([ann, robot].map((each) => each?.close()));
    await server?.stop();
  });

  /** Starts the adapter in a new room, which ann owns. */
  async function open(over: Partial<Parameters<typeof startAdapter>[0]> = {}) {
    rooms += 1;
    const room = roomOf(`behaviour-${rooms}`);
    await ann.join(room);
    stage = await startAdapter({ port: server.port, rooms: [room], ...over });
    await untilJoined(ann, room);
    return { room, stage };
  }

  const poll = (look: () => unknown) => expect.poll(look, { timeout: 10_000, interval: 20 });
  const last = <T>(all: readonly T[]): T => {
    const found = all.at(-1);
    if (found === undefined) throw new Error('Nothing was found.');
    return found;
  };

  /** Uploads a file as a client does (XEP-0363), and returns its address. */
  async function upload(bytes: Uint8Array): Promise<string> {
    const request = xml('request', {
      xmlns: UPLOAD,
      filename: 'plan.png',
      size: `${bytes.byteLength}`,
      'content-type': 'image/png',
    });
    const slot = (await ann.request(`upload.${DOMAIN}`, 'get', request)).getChild('slot', UPLOAD);
    const put = slot?.getChild('put');
    const headers = (put?.getChildren('header') ?? []).map((each) => [each.attrs.name ?? '', each.text()]);
    const type = { 'content-type': 'image/png' };
    const body = Buffer.from(bytes);
    const sent = await fetch(put?.attrs.url ?? '', {
      method: 'PUT',
      body,
      headers: { ...type, ...Object.fromEntries(headers) },
    });
    expect(sent.ok).toBe(true);
    return slot?.getChild('get')?.attrs.url ?? '';
  }

  test('shared files are taken with the question: out-of-band data, and stateless file sharing', async () => {
    const { stage: at } = await open();
    const url = await upload(PNG);
    await ann.says(BRIDGE, url, { extra: [xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, url))] });
    await poll(() => at.questions().length).toBe(1);
    expect(at.questions()[0]).toMatchObject({ text: '', files: [{ id: url, name: 'plan.png' }] });
    const metadata = xml(
      'file',
      { xmlns: 'urn:xmpp:file:metadata:0' },
      xml('media-type', {}, 'image/png'),
      xml('name', {}, 'Plan of the hall.png'),
      xml('size', {}, `${PNG.byteLength}`),
    );
    const sources = xml(
      'sources',
      {},
      xml('url-data', { xmlns: 'http://jabber.org/protocol/url-data', target: url }),
    );
    const sharing = xml('file-sharing', { xmlns: FILES, disposition: 'inline' }, metadata, sources);
    const said = 'Where is the 🚪 in';
    const range = { start: `${[...said].length}`, end: `${[...said].length + 1 + url.length}` };
    const fallback = xml('fallback', { xmlns: FALLBACK, for: FILES }, xml('body', range));
    await ann.says(BRIDGE, `${said}\n${url}`, { extra: [sharing, fallback] });
    await poll(() => at.questions().length).toBe(2);
    const { text, files } = last(at.questions());
    expect(text).toBe(said);
    expect(files).toEqual([
      { id: url, name: 'Plan of the hall.png', type: 'image/png', bytes: PNG.byteLength },
    ]);
    for (const file of files)
      expect(Buffer.from(await at.running.openFile(file, 1_000, signal))).toEqual(Buffer.from(PNG));
  });

  test('the number of a suggestion asks it, in the name of the person who wrote the number', async () => {
    const suggestions = ['Who may enter?', 'And at night?'];
    const { room, stage: at } = await open({
      host: {
        reply: async (turn) => ({
          ...answerTo(turnFor(questionIn('', '')), 'Yes.', { turn, suggestions }),
          askedBy: ann.jid,
        }),
      },
    });
    const turn = turnFor(questionIn(room, 'numbers'));
    await at.write(answerTo(turn, 'Yes.', { suggestions }), turn);
    const answers = () => ann.seen(room).filter(({ thread }) => thread === 'numbers');
    await poll(() => answers().length).toBe(1);
    const [shown] = answers();
    expect(shown?.text).toContain('1. Who may enter?\n2. And at night?');
    await ann.says(room, `${NICK}: 2`, { thread: 'numbers' });
    await poll(() => at.questions().map(({ text }) => text)).toEqual(['And at night?']);
    await robot.join(room);
    const reply = xml('reply', {
      xmlns: 'urn:xmpp:reply:0',
      to: shown?.from,
      id: shown?.stanzaId ?? shown?.id,
    });
    await robot.says(room, '1.', { extra: [reply] });
    await poll(() => at.questions().length).toBe(2);
    expect(last(at.questions())).toMatchObject({ text: 'Who may enter?', thread: { key: 'numbers' } });
    expect(last(at.questions()).sender.id).not.toBe(at.questions()[0]?.sender.id);
    await ann.says(room, `${NICK}: 7`, { thread: 'numbers' });
    await poll(() => last(at.questions()).text).toBe('7');
  });

  test('a destroyed room ends its answers, and is not created again', async () => {
    // A wait of 15 s takes 0.5 s here: the server needs time to respond before the wait ends.
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 30));
    const { room, stage: at } = await open({ host: { clock: { now: Date.now, wait } } });
    await ann.request(room, 'set', xml('query', { xmlns: OWNER }, xml('destroy')));
    const turn = turnFor(questionIn(room, 'ruin'));
    await poll(() => at.write(answerTo(turn, 'Nobody reads this.'), turn)).toBe('gone');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await ann.send(xml('presence', { to: `${room}/ann`, type: 'unavailable' }));
    const looked = ann.request(room, 'get', xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' }));
    // Prosody remembers that the room existed.
    const condition = name === 'prosody' ? 'gone' : 'item-not-found';
    await expect(looked).rejects.toMatchObject({ condition });
  });

  /** Changes the bridge's role in a room, as a moderator. */
  const setRole = (room: string, role: string) =>
    ann.request(room, 'set', xml('query', { xmlns: ADMIN }, xml('item', { nick: NICK, role })));

  test('without voice in a moderated room, answers end; with voice, the next ones are shown', async () => {
    const { room, stage: at } = await open();
    const field = xml('field', { var: 'muc#roomconfig_moderatedroom' }, xml('value', {}, '1'));
    const type = xml(
      'field',
      { var: 'FORM_TYPE' },
      xml('value', {}, 'http://jabber.org/protocol/muc#roomconfig'),
    );
    const form = xml('x', { xmlns: 'jabber:x:data', type: 'submit' }, type, field);
    await ann.request(room, 'set', xml('query', { xmlns: OWNER }, form));
    await setRole(room, 'visitor');
    const silent = turnFor(questionIn(room, 'silent'));
    expect(await at.write(answerTo(silent, 'Nobody reads this.'), silent)).toBe('gone');
    await setRole(room, 'participant');
    const heard = turnFor(questionIn(room, 'heard'));
    expect(await at.write(answerTo(heard, 'Everyone reads this.'), heard)).toBe('done');
    await poll(() => ann.seen(room).map(({ thread, text }) => [thread, text])).toEqual([
      ['heard', 'Everyone reads this.'],
    ]);
  });

  test('without corrections, an answer comes once, when it is complete', async () => {
    const { room, stage: at } = await open({ settings: { corrections: false } });
    const turn = turnFor(questionIn(room, 'once'));
    const writer = at.running.writer(turn);
    const growing = answerTo(turn, 'The pass is', { state: 'writing' });
    const [move] = writer.next(writer.blank(), growing, 1);
    expect(move?.family).toBe('typing');
    await at.write(answerTo(turn, 'The pass is valid for a day.'), turn);
    const sent = () => ann.stanzas.filter(({ attrs }) => attrs.from === `${room}/${NICK}`);
    const texts = () => sent().flatMap((each) => each.getChildText('body') ?? []);
    await poll(texts).toEqual(['The pass is valid for a day.']);
    expect(sent().some((each) => each.getChild('replace', 'urn:xmpp:message-correct:0'))).toBe(false);
  });

  test('a new nickname changes neither the conversation nor who may correct the question', async () => {
    const { room, stage: at } = await open();
    const id = await ann.says(room, `${NICK}: How long is a pass valid?`);
    await poll(() => at.questions().length).toBe(1);
    await ann.send(xml('presence', { to: `${room}/ann the second` }));
    await ann.sees(({ attrs }) => attrs.from === `${room}/ann the second`);
    await ann.says(room, `${NICK}: And for how many people is it valid at most?`);
    await poll(() => at.questions().length).toBe(2);
    const [first, second] = at.questions();
    expect(second?.thread).toEqual(first?.thread);
    expect(second?.sender.id).toBe(first?.sender.id);
    const replace = xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id });
    await ann.says(room, `${NICK}: How long is a visitor pass valid?`, { extra: [replace] });
    await poll(() => last(at.taken)).toMatchObject({ kind: 'edit', message: { id: first?.id } });
  });

  test('a program that answers each message with a few words is answered some times, then ignored', async () => {
    let nth = 0;
    const { room, stage: at } = await open({
      answer: async (event) => {
        if (event.kind === 'ask') await reply(event.message);
      },
    });
    const reply = async (message: Message): Promise<void> => {
      nth += 1;
      const turn = turnFor(message, nth);
      await at.write(answerTo({ ...turn, id: turnId(`loop-${nth}`) }, `Answer ${nth}.`), turn);
    };
    await robot.join(room);
    const answered = new Set<string>();
    const loop = setInterval(() => {
      for (const { id, from } of robot.seen(room)) {
        if (from !== `${room}/${NICK}` || answered.has(id)) continue;
        answered.add(id);
        void robot.says(room, `${NICK}: thanks`);
      }
    }, 10);
    try {
      await robot.says(room, `${NICK}: hello`);
      const notes = () => robot.seen(room).filter(({ text }) => text.includes('as a program does'));
      await poll(() => notes().length).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(notes()).toHaveLength(1);
      expect(nth).toBeLessThanOrEqual(6);
    } finally {
      clearInterval(loop);
    }
  });

  test('a client that says that it is a program is answered once, also if it answers slowly', async () => {
    const { room, stage: at } = await open();
    await robot.join(room);
    robot.isProgram = true;
    await robot.says(room, `${NICK}: What is the first question of a program?`);
    await poll(() => at.questions().length).toBe(1);
    await settled(robot, room);
    for (let nth = 0; nth < 3; nth += 1) await robot.says(room, `${NICK}: What else do you have to say?`);
    const notes = () => robot.seen(room).filter(({ text }) => text.includes('I answer people only'));
    await poll(() => notes().length).toBe(1);
    await settled(robot, room);
    expect(at.questions()).toHaveLength(1);
    robot.isProgram = false;
  });

  test('two bridges in one room do not answer each other for ever', async () => {
    const said: string[] = [];
    const answering = (own: string, other: string) => async (event: Intake) => {
      if (event.kind !== 'ask') return;
      said.push(own);
      const turn = turnFor(event.message, said.length);
      const at = own === NICK ? stage : second;
      await at?.write(answerTo(turn, `${other}: And what do you think about this?`), turn);
    };
    let second: AdapterStage | undefined;
    const { room } = await open({ answer: answering(NICK, 'Echo') });
    second = await startAdapter({
      ...{ port: server.port, rooms: [room], jid: `robot@${DOMAIN}`, settings: { nick: 'Echo' } },
      answer: answering('Echo', NICK),
    });
    await ann.sees(({ attrs }) => attrs.from === `${room}/Echo`);
    await ann.says(room, `${NICK}: What do you think about visitor passes?`);
    const last = /I answer people only|as a program does/;
    const notes = () => ann.seen(room).filter(({ text }) => last.test(text));
    await poll(() => notes().length).toBeGreaterThan(0);
    await settled(ann, room);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Each bridge answers at most five quick messages.
    expect(said.length).toBeLessThanOrEqual(12);
    expect(notes().length).toBeLessThanOrEqual(2);
    await second.running.stop();
  });

  test('odd messages do not disturb the questions after them', async () => {
    const { room, stage: at } = await open();
    const body = (text: string) => xml('body', {}, text);
    const odd: readonly XmlElement[] = [
      body('x'.repeat(100_000)),
      xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: 'y'.repeat(5_000) }),
      xml('replace', { xmlns: 'urn:xmpp:message-correct:0' }),
      xml('retract', { xmlns: 'urn:xmpp:message-retract:1' }),
      xml(
        'reactions',
        { xmlns: 'urn:xmpp:reactions:0', id: 'none' },
        xml('reaction', {}, '👍'.repeat(1_000)),
      ),
      xml('reply', { xmlns: 'urn:xmpp:reply:0', id: '\u202e', to: ':::' }),
      xml('fallback', { xmlns: FALLBACK, for: 'urn:xmpp:reply:0' }, xml('body', { start: '-1', end: 'NaN' })),
      xml('delay', { xmlns: 'urn:xmpp:delay', stamp: 'yesterday' }),
      xml('file-sharing', { xmlns: FILES }, xml('sources', {}, xml('url-data'))),
      xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, 'javascript:alert(1)')),
      Array.from({ length: 40 }, () => 'a').reduce<XmlElement>((inner, tag) => xml(tag, {}, inner), xml('a')),
    ];
    for (const [nth, child] of odd.entries())
      for (const [to, type] of [
        [room, 'groupchat'],
        [BRIDGE, 'chat'],
      ] as const)
        await ann.send(xml('message', { to, type, id: `odd-${nth}` }, child));
    await ann.says(room, `${NICK}: Are you still there?`);
    await ann.says(BRIDGE, 'And in this direct chat, are you there too?');
    const texts = () => at.questions().map(({ text }) => text);
    await poll(texts).toContain('Are you still there?');
    await poll(texts).toContain('And in this direct chat, are you there too?');
  });

  test('an image that the server refuses leaves an answer that names it', async () => {
    const { room, stage: at } = await open({
      host: { openMedia: async () => ({ type: 'image/png', bytes: new Uint8Array(UPLOAD_BYTES + 1) }) },
    });
    const turn = turnFor(questionIn(room, 'large'));
    const media = [
      {
        id: 'm1',
        kind: 'image' as const,
        name: 'a map',
        ref: { kind: 'url' as const, url: 'https://foreign.example/map.png' },
      },
    ];
    const text = 'Here it is: ![a map](https://foreign.example/map.png)';
    await at.write(answerTo(turn, text, { media }), turn);
    const shown = () => ann.seen(room).map((each) => [each.text, each.url]);
    await poll(shown).toEqual([['Here it is: ▣ a map', undefined]]);
    await settled(ann, room);
    expect(shown()).toHaveLength(1);
  });

  test('after a kill, the next process is in all rooms at once, although the server ends the old session', async () => {
    const killed = Array.from({ length: 60 }, (_, nth) => roomOf(`killed-${nth}`));
    for (const room of killed) await ann.join(room);
    const isInside = (room: string): boolean => {
      const isOwn = ({ name, attrs }: XmlElement) => name === 'presence' && attrs.from === `${room}/${NICK}`;
      const shown = ann.stanzas.findLast(isOwn);
      return shown !== undefined && shown.attrs.type !== 'unavailable';
    };
    const inside = () => killed.filter(isInside).length;
    const proxy = await startProxy(server.port);
    const old = await startAdapter({ port: proxy.port, rooms: killed });
    await poll(inside).toBe(killed.length);
    proxy.accept(false);
    proxy.cut();
    const lines: string[] = [];
    stage = await startAdapter({ port: server.port, rooms: killed, host: { log: logInto(lines) } });
    // The server removes the old session from each room only after the new one has joined.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await poll(inside).toBe(killed.length);
    for (const room of killed) {
      const turn = turnFor(questionIn(room, 'killed'));
      expect(await stage.write(answerTo(turn, 'Here.'), turn)).toBe('done');
    }
    expect(lines.filter((line) => line.includes('no longer in a room'))).toEqual([]);
    await old.running.stop();
    await proxy.close();
  });

  test('an earlier session of the account that leaves does not take the bridge out of the room', async () => {
    const earlier = await connectPerson(server.port, 'parley');
    const room = roomOf('twice');
    await ann.join(room);
    await earlier.join(room, NICK);
    stage = await startAdapter({ port: server.port, rooms: [room] });
    const at = stage;
    await poll(async () => {
      const turn = turnFor(questionIn(room, 'before'), Date.now());
      return at.write(answerTo(turn, 'Here.'), turn);
    }).toBe('done');
    await earlier.send(xml('presence', { to: `${room}/${NICK}`, type: 'unavailable' }));
    await earlier.close();
    await ann.request(room, 'get', xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' }));
    const turn = turnFor(questionIn(room, 'after'));
    expect(await at.write(answerTo(turn, 'Still here.'), turn)).toBe('done');
    await ann.says(room, `${NICK}: Do you hear me?`);
    await poll(() => at.questions().length).toBe(1);
  });
});
