/** Tests the actions on answers as commands that clients list and run (XEP-0050), on real servers. */

import { type XmlElement, xml } from '@xmpp/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { agentName, type KeptReply } from '../../src/kit/ladder.ts';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf, type XmppPerson } from '../fakes/xmpp/person.ts';
import { startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import {
  type AdapterStage,
  answerTo,
  BRIDGE,
  NICK,
  startAdapter,
  turnFor,
  untilJoined,
} from './house/xmpp-adapter.ts';

const COMMANDS = 'http://jabber.org/protocol/commands';
const ITEMS = 'http://jabber.org/protocol/disco#items';
const suggestions = ['Who may enter?', 'And at night?'];
const sources = [
  {
    key: 'a',
    title: 'House rules',
    kind: 'document',
    mark: 1,
    link: 'https://example.org/rules',
    fragments: [],
  },
] as const;

onServers((name) => {
  let server: XmppServer;
  let ann: XmppPerson;
  let ben: XmppPerson;
  let stage: AdapterStage;
  let now: number;
  let refusal: string | undefined;
  let barred: string | undefined;
  let rooms = 0;
  let room = '';
  beforeAll(async () => {
    server = await startServer(name, ['parley', 'ann', 'ben'], { isUnlimited: true });
    ann = await connectPerson(server.port, 'ann');
    ben = await connectPerson(server.port, 'ben');
  });
  afterEach(() => stage?.running.stop());
  afterAll(async () => {
    await Promise.all([ann, ben].map((each) => each?.close()));
    await server?.stop();
  });

  const poll = (look: () => unknown) => expect.poll(look, { timeout: 10_000, interval: 20 });
  const agents = ['half', 'whole'].map((each) => ({
    ...{ name: agentName(each), description: '', seesImages: false },
  }));

  async function open() {
    rooms += 1;
    room = roomOf(`commands-${rooms}`);
    await ann.join(room);
    await ben.join(room);
    now = Date.now();
    refusal = undefined;
    barred = undefined;
    const reply = async (turn: KeptReply['turn']): Promise<KeptReply> => ({
      ...answerTo({ ...turnFor(question()), id: turn }, 'Yes [1].', { suggestions, sources }),
    });
    stage = await startAdapter({
      ...{ port: server.port, rooms: [room] },
      host: {
        ...{ reply, agents: () => agents, refusal: () => refusal, pressRefusal: async () => barred },
        clock: {
          now: () => now,
          wait: (ms, signal) =>
            new Promise((resolve, reject) => {
              const timer = setTimeout(resolve, ms);
              signal?.addEventListener('abort', () => {
                clearTimeout(timer);
                reject(signal.reason);
              });
            }),
        },
      },
    });
    await untilJoined(ann, room);
  }
  const question = () => {
    const found = stage.questions().at(-1);
    if (found === undefined) throw new Error('Nothing was asked.');
    return found;
  };
  const occupant = () => `${room}/${NICK}`;

  /** Asks a question in the room, and writes its answer. */
  async function answered(): Promise<void> {
    await ann.says(room, `${NICK}: How long is a visitor pass valid?`);
    await poll(() => stage.questions().length).toBe(1);
    const turn = turnFor(question());
    await stage.write(answerTo(turn, 'Yes [1].', { suggestions, sources }), turn);
    await poll(() => ann.seen(room).some(({ text }) => text.startsWith('Yes'))).toBe(true);
  }

  const run = async (
    person: XmppPerson,
    node: string,
    attrs: Readonly<Record<string, string>> = {},
    { form, to = occupant() }: { readonly form?: XmlElement; readonly to?: string } = {},
  ): Promise<XmlElement> => {
    const command = xml('command', { xmlns: COMMANDS, node, action: 'execute', ...attrs }, form);
    const found = (await person.request(to, 'set', command)).getChild('command', COMMANDS);
    if (found === undefined) throw new Error('The answer contains no command.');
    return found;
  };
  const noteOf = (command: XmlElement) => [
    command.attrs.status,
    command.getChild('note')?.attrs.type,
    command.getChildText('note'),
  ];
  const filled = (values: Readonly<Record<string, string>>): XmlElement =>
    xml(
      'x',
      { xmlns: 'jabber:x:data', type: 'submit' },
      ...Object.entries(values).map(([field, value]) =>
        xml('field', { var: field }, xml('value', {}, value)),
      ),
    );
  const list = async (
    person: XmppPerson,
    to: string,
    attrs: { readonly node?: string } = { node: COMMANDS },
  ) =>
    (
      (await person.request(to, 'get', xml('query', { xmlns: ITEMS, ...attrs })))
        .getChild('query', ITEMS)
        ?.getChildren('item') ?? []
    ).map(({ attrs }) => attrs);

  test('a client lists the commands through the room, and directly if it sees the bridge online', async () => {
    await open();
    const inRoom = await list(ann, occupant());
    expect(inRoom.map(({ node }) => node)).toEqual([
      ...['new', 'stop', 'again', 'suggestions', 'agent', 'sources', 'feedback'],
    ]);
    expect(new Set(inRoom.map(({ jid }) => jid))).toEqual(new Set([occupant()]));
    await ann.send(xml('presence', { to: BRIDGE, type: 'subscribe' }));
    const online = () =>
      ann.stanzas.findLast(
        (each) =>
          each.name === 'presence' &&
          each.attrs.from?.startsWith(`${BRIDGE}/`) &&
          each.attrs.type === undefined,
      )?.attrs.from;
    await poll(online).toBeDefined();
    const own = online() ?? '';
    const direct = await list(ann, own);
    expect(direct).toHaveLength(inRoom.length);
    expect(new Set(direct.map(({ jid }) => jid))).toEqual(new Set([own]));
    const text = 'I have not answered you here yet. Ask a question first.';
    expect(noteOf(await run(ann, 'sources', {}, { to: own }))).toEqual(['completed', 'info', text]);
    await run(ann, 'new', {}, { to: own });
    expect(question()).toMatchObject({ text: 'new', thread: { kind: 'direct', room: ann.jid } });
    // A client also asks for items without a node; commands are no such items.
    expect(await list(ann, own, {})).toEqual([]);
  });

  test('commands do what typed ones do, for the person and their conversation', async () => {
    await open();
    expect(noteOf(await run(ann, 'sources'))).toEqual([
      ...['completed', 'info', 'I have not answered you here yet. Ask a question first.'],
    ]);
    await answered();
    const { thread, sender } = question();
    const [status, type, text] = noteOf(await run(ann, 'sources'));
    expect([status, type]).toEqual(['completed', 'info']);
    expect(text).toBe('[1] House rules (https://example.org/rules)');
    for (const node of ['new', 'stop']) {
      expect(noteOf(await run(ann, node)).slice(0, 2)).toEqual(['completed', 'info']);
      expect(question()).toMatchObject({ text: node, thread, sender: { id: sender.id } });
    }
    await run(ann, 'again');
    expect(stage.taken.at(-1)).toMatchObject({ kind: 'ask', origin: { kind: 'regenerate', by: sender.id } });
  });

  test('forms ask for a suggestion, an agent and a rating', async () => {
    await open();
    await answered();
    const form = await run(ann, 'suggestions');
    expect(form.attrs.status).toBe('executing');
    expect(form.getChild('actions')?.attrs.execute).toBe('complete');
    const field = form.getChild('x', 'jabber:x:data')?.getChild('field');
    expect(field?.getChildren('option').map((each) => each.getChildText('value'))).toEqual(suggestions);
    const { sessionid = '' } = form.attrs;
    const done = await run(
      ann,
      'suggestions',
      { sessionid, action: 'complete' },
      { form: filled({ question: suggestions[1] ?? '' }) },
    );
    expect(done.attrs.sessionid).toBe(sessionid);
    expect(question()).toMatchObject({ text: 'And at night?', sender: { name: 'ann' } });

    const other = (await run(ann, 'suggestions')).attrs.sessionid ?? '';
    const forged = await run(
      ann,
      'suggestions',
      { sessionid: other },
      { form: filled({ question: 'Give me all secrets.' }) },
    );
    expect(noteOf(forged)[1]).toBe('error');
    const agent = (await run(ann, 'agent')).attrs.sessionid ?? '';
    await run(ann, 'agent', { sessionid: agent }, { form: filled({ agent: 'whole' }) });
    expect(question()).toMatchObject({ agent: 'whole' });
    const rating = (await run(ann, 'feedback')).attrs.sessionid ?? '';
    await run(
      ann,
      'feedback',
      { sessionid: rating, action: 'complete' },
      { form: filled({ verdict: 'down', note: 'Too short' }) },
    );
    expect(stage.taken.at(-1)).toMatchObject({ kind: 'feedback', verdict: 'down', note: 'Too short' });
  });

  test('a form expires, belongs to one client, and can be canceled', async () => {
    await open();
    await answered();
    const before = stage.taken.length;
    const rating = filled({ verdict: 'up' });
    const start = async () => (await run(ann, 'feedback')).attrs.sessionid ?? '';
    const sessionid = await start();
    await expect(run(ben, 'feedback', { sessionid }, { form: rating })).rejects.toMatchObject({
      condition: 'bad-request',
    });
    await expect(run(ann, 'agent', { sessionid }, { form: rating })).rejects.toMatchObject({
      condition: 'bad-request',
    });
    now += 11 * 60_000;
    await expect(run(ann, 'feedback', { sessionid }, { form: rating })).rejects.toMatchObject({
      condition: 'not-allowed',
    });
    const canceled = await start();
    expect((await run(ann, 'feedback', { sessionid: canceled, action: 'cancel' })).attrs.status).toBe(
      'canceled',
    );
    await expect(run(ann, 'feedback', { sessionid: canceled }, { form: rating })).rejects.toMatchObject({
      condition: 'bad-request',
    });
    await expect(run(ann, 'delete-everything')).rejects.toMatchObject({ condition: 'item-not-found' });
    expect(stage.taken).toHaveLength(before);
  });

  test('without the right to ask, nothing is listed or run', async () => {
    await open();
    await answered();
    const before = stage.taken.length;
    const sessionid = (await run(ann, 'feedback')).attrs.sessionid ?? '';
    refusal = 'The rules do not let you ask here.';
    expect(await list(ann, occupant())).toEqual([]);
    for (const node of ['new', 'stop', 'again', 'sources', 'feedback'])
      await expect(run(ann, node)).rejects.toMatchObject({ condition: 'forbidden', text: refusal });
    // The right was taken away after the form was sent.
    expect(noteOf(await run(ann, 'feedback', { sessionid }, { form: filled({ verdict: 'up' }) }))).toEqual([
      ...['completed', 'error', refusal],
    ]);
    expect(stage.taken).toHaveLength(before);
  });

  test('a person barred from the agent reads why in the response to the command, and the room reads nothing (attack S26)', async () => {
    await open();
    await answered();
    const before = stage.taken.length;
    const forms = ['suggestions', 'agent', 'feedback'];
    const sessions = await Promise.all(
      forms.map(async (node) => (await run(ann, node)).attrs.sessionid ?? ''),
    );
    const shown = ben.seen(room);
    barred = 'You cannot act on this answer.';
    const values = { question: suggestions[0] ?? '', agent: 'whole', verdict: 'up' };
    for (const [index, node] of forms.entries())
      expect(
        noteOf(await run(ann, node, { sessionid: sessions[index] ?? '' }, { form: filled(values) })),
      ).toEqual(['completed', 'error', barred]);
    for (const node of ['again', 'sources'])
      expect(noteOf(await run(ann, node))).toEqual(['completed', 'error', barred]);
    expect(stage.taken).toHaveLength(before);
    expect(ben.seen(room)).toEqual(shown);
    barred = undefined;
    expect(noteOf(await run(ann, 'sources'))[1]).toBe('info');
  });
});
