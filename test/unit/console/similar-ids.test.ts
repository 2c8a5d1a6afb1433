/**
 * Compares what one person may do, and what forgetting one person deletes, with a model that compares whole ids. The
 * people's ids contain each other, so that no part of an id counts as the id.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageRecord } from '../../../adapters/console/chat/records.ts';
import { mayRead } from '../../../adapters/console/chat/rooms.ts';
import { checkSpeaker } from '../../../adapters/console/http/gate.ts';
import { createSeal } from '../../../adapters/console/identity/seal.ts';
import type { Session } from '../../../adapters/console/identity/sessions.ts';
import { findFileFor, findOwn, type Parts } from '../../../adapters/console/lookups.ts';
import type { FileView, RoomPage, RoomView } from '../../../adapters/console/wire.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { documentOf, openRig, type Rig, show, turnOf } from './rig.ts';
import { openSessions } from './session-store.ts';

const IDS = ['U1', 'U12', 'xU1', 'u1', 'U'];
const people = IDS.map((id) => ({ id, name: `Person ${id}`, title: '' }));
const pairs = people.flatMap((viewer) => people.map((owner) => ({ viewer, owner, same: viewer === owner })));

const passes = async (act: () => unknown): Promise<boolean> => {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
};

describe('a person whose id resembles another', () => {
  const general: RoomView = { id: 'general', name: 'general', topic: '', kind: 'room' };
  const directOf = (person: string): RoomView => ({
    ...general,
    id: `direct~${person}`,
    kind: 'direct',
    person,
  });
  const record = (author: string) =>
    ({ id: 'm', room: 'general', author: { kind: 'person', id: author, name: '' } }) as MessageRecord;

  it.each(pairs)('$viewer.id reads, edits, opens and writes only as $viewer.id ($owner.id)', async ({
    viewer,
    owner,
    same,
  }) => {
    const parts = {
      chat: { reader: { message: async () => record(owner.id) } },
      rooms: { find: () => general, mayRead: () => false },
      files: { find: async () => ({ id: 'f' }) },
      store: { rows: { fileOwner: async () => owner.id, roomsOfFile: async () => ['general'] } },
    } as unknown as Parts;
    expect({
      reads: mayRead(viewer, directOf(owner.id)),
      edits: await passes(() => findOwn(parts, 'm', viewer)),
      opens: await passes(() => findFileFor(parts, 'f', viewer)),
      writes: await passes(() => checkSpeaker(viewer, owner.id)),
    }).toEqual({ reads: same, edits: same, opens: same, writes: same });
  });
});

describe('sessions', () => {
  const open = () => {
    const clock = createVirtualClock();
    const stored = new Map<string, Session>();
    const seal = createSeal(new Uint8Array(32));
    return { clock, sessions: () => openSessions(stored, seal, clock) };
  };

  it('of one person end without those of others', async () => {
    const sessions = await open().sessions();
    const ids = new Map<string, string>();
    for (const id of IDS) ids.set(id, await sessions.begin(id, undefined));
    await sessions.endAll({ person: 'U1' });
    const left = IDS.filter((id) => sessions.use(ids.get(id) ?? '') !== undefined);
    expect(left).toEqual(IDS.filter((id) => id !== 'U1'));
  });

  it.each([
    ['in one process', false],
    ['across a restart', true],
  ])('beyond 20 of one person end from the oldest on, %s', async (_, restarts) => {
    const { clock, sessions: start } = open();
    let sessions = await start();
    const other = await sessions.begin('U12', undefined);
    const own: string[] = [];
    for (let nth = 0; nth < 22; nth += 1) {
      await clock.pass(1);
      if (restarts) sessions = await start();
      own.push(await sessions.begin('U1', undefined));
    }
    expect(own.map((id) => sessions.use(id) !== undefined)).toEqual(own.map((_each, nth) => nth >= 2));
    expect(sessions.use(other)).toBeDefined();
  });
});

describe('forgetting one person', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig({ config: { people: [...people, { id: 'asker', name: 'Asker', title: '' }] } });
  });
  afterEach(() => rig.close());

  const upload = async (as: string): Promise<string> => {
    const sent = await rig.call(`/console/files?name=a.txt&as=${as}`, { method: 'POST', body: `of ${as}` });
    return ((await sent.json()) as FileView).id;
  };
  const messagesIn = async (path: string) => (await rig.get<RoomPage>(`/console/rooms/${path}`)).messages;
  const forget = (person: string) => rig.adapter.forget?.({ kind: 'person', channel: 'console', person });

  /** Returns a text for each thing in the console. The text begins with the id of the person whose thing it is. */
  async function everything(thread: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
    const rooms = ['general', 'random', ...IDS.map((id) => `direct~${id}~knowledge`)];
    const messages = (await Promise.all(rooms.map(messagesIn))).flat();
    const replies = await messagesIn(`general/threads/${thread}`);
    const served = [...files].map(async ([id, owner]) => {
      return (await rig.call(`/console/files/${id}`)).status === 200 ? [`${owner} file`] : [];
    });
    return [
      ...messages.map(({ author, room, text, shared }) =>
        shared ? `${author.id} shared “${shared.from.question}”` : `${author.id} in ${room}: ${text}`,
      ),
      ...replies.flatMap(({ reply }) => Object.entries(reply?.thumbs ?? {}).map((one) => one.join(' '))),
      ...(await Promise.all(served)).flat(),
    ].toSorted();
  }

  it.each(IDS)('%s deletes everything of theirs and nothing of anyone else', async (gone) => {
    const { thread } = await rig.say('general', { as: 'asker', text: '@knowledge who?' });
    const turn = turnOf(rig.host.taken[0], 't1');
    await show(rig, turn, [documentOf(turn, { state: 'done', text: 'Nobody.' })]);
    const files = new Map<string, string>();
    for (const id of IDS) {
      const [sent, unsent] = [await upload(id), await upload(id)];
      files.set(sent, id).set(unsent, id);
      await rig.say('general', { as: id, text: `by ${id}`, files: [sent] });
      await rig.say(`direct~${id}~knowledge`, { as: id, text: `private ${id}` });
      await rig.post('/console/replies/t1/feedback', { as: id, verdict: 'up' });
      await rig.post('/console/shares', { as: id, turn: 't1', room: 'random' });
    }
    const before = await everything(thread, files);
    expect(await forget(gone)).toMatchObject({ messages: 3, files: 2, rooms: 1 });
    const isTheirs = (thing: string) => thing.startsWith(`${gone} `);
    expect(before.filter(isTheirs)).toHaveLength(6);
    expect(await everything(thread, files)).toEqual(before.filter((thing) => !isTheirs(thing)));
  });

  it('keeps a file that another person posted too', async () => {
    const file = await upload('U12');
    for (const as of ['U1', 'U12']) await rig.say('general', { as, text: as, files: [file] });
    await forget('U1');
    expect((await rig.call(`/console/files/${file}`)).status).toBe(200);
    await forget('U12');
    expect((await rig.call(`/console/files/${file}`)).status).toBe(404);
  });
});
