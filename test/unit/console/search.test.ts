/** Tests the search over messages at the wire, attacks on it, and the index of an older file. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageRecord } from '../../../adapters/console/chat/records.ts';
import { rank, readQuery } from '../../../adapters/console/chat/search-text.ts';
import type { Parts } from '../../../adapters/console/lookups.ts';
import { search as searchFor } from '../../../adapters/console/reading.ts';
import type { SearchView } from '../../../adapters/console/wire.ts';
import { documentOf, json, openRig, type Rig, show, turnOf } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const search = async (text: string, as = 'engineer') =>
  (await rig.post<SearchView>('/console/search', { as, text })).hits;
/** Returns the texts around the hits, with each hit in brackets. */
const found = async (text: string, as?: string) =>
  (await search(text, as)).map(({ snippet }) =>
    snippet.map((part, nth) => (nth % 2 === 1 ? `[${part}]` : part)).join(''),
  );

describe('a search', () => {
  it('finds answers once they end, edited text, and nothing that was deleted or forgotten', async () => {
    const question = await rig.say('general', { text: '@knowledge where?' });
    const turn = turnOf(rig.host.taken[0], 'turn-1');
    const shown = await show(rig, turn, [documentOf(turn, { state: 'writing', text: 'In the **annex**' })]);
    expect(await found('annex')).toEqual([]);
    await show(rig, shown, [documentOf(turn, { state: 'done', text: 'In the **annex**.', version: 2 })]);
    expect(await search('annex')).toMatchObject([
      {
        room: 'general',
        thread: question.id,
        author: { name: 'knowledge' },
        snippet: ['In the ', 'annex', '.'],
      },
    ]);
    const draft = await rig.say('general', { text: 'zebracrossing' });
    await rig.post(`/console/messages/${draft.id}/edit`, { as: 'engineer', text: 'lioncrossing' });
    expect([await found('zebracrossing'), await found('lioncrossing')]).toEqual([[], ['[lioncrossing]']]);
    await rig.post(`/console/messages/${draft.id}/delete`, { as: 'engineer' });
    expect(await found('lioncrossing')).toEqual([]);
    await rig.say('general', { as: 'manager', text: 'giraffehouse' });
    await rig.adapter.forget?.({ kind: 'person', person: 'manager', channel: 'console', tenant: 'console' });
    expect(await found('giraffehouse')).toEqual([]);
    const bytes = await readFile(join(rig.folder, 'console.sqlite'));
    for (const word of ['zebracross', 'lioncross', 'giraffeh']) expect(bytes.includes(word)).toBe(false);
  });

  it('puts the message first that says most about the words, among equals the newest', () => {
    const record = (id: string, text: string) => ({ id, text }) as MessageRecord;
    const records = [
      record('new', 'tea and a long walk'),
      record('twice', 'tea, tea'),
      record('old', 'tea and a long walk'),
    ];
    expect(rank(records, readQuery('tea'), 2).map(({ record: { id } }) => id)).toEqual(['twice', 'new']);
  });
});

describe('a hostile search', () => {
  it.each([
    ...[
      '"',
      '*',
      '"*"',
      'NEAR',
      'NEAR(a b, 1)',
      'a AND',
      'OR',
      'NOT x',
      'text:x',
      '^x',
      '-x',
      '(',
      "'; DROP TABLE messages",
      '\0',
    ],
    ...[
      '',
      '   ',
      '!?.,;',
      'x'.repeat(10_000),
      'x '.repeat(5_000),
      '预'.repeat(10_000),
      '\ud800',
      '💥',
      '\u0301',
      'İ',
      'ﷺ',
    ],
  ])('%j gives hits or none', async (text) => {
    await rig.say('general', { text: 'near and or not x text' });
    const response = await rig.call('/console/search', json({ as: 'engineer', text }));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ hits: expect.any(Array) });
  });

  it('of any text gives hits or none', async () => {
    await rig.say('general', { text: 'a b c' });
    const anyText = fc.string({ unit: 'binary', maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(await search(text)).toEqual(expect.any(Array));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    [{ as: 'nobody', text: 'x' }, 400],
    [{ as: 'engineer' }, 400],
    [{ as: 'engineer', text: 5 }, 400],
    [{ as: 'engineer', text: 'x'.repeat(2_000_000) }, 413],
  ])('%j is refused', async (body, status) => {
    expect((await rig.call('/console/search', json(body))).status).toBe(status);
  });

  it('finds nothing of another’s private conversation, which changes neither number nor order of hits', async () => {
    const own = await rig.say('direct~engineer~knowledge', { text: 'merger merger zebra' });
    await rig.say('general', { text: 'merger zebra zebra' });
    const before = await search('merger zebra', 'designer');
    expect(before.map(({ room }) => room)).toEqual(['general']);
    const mine = await search('merger zebra');
    for (let nth = 0; nth < 150; nth += 1)
      await rig.say('direct~manager~knowledge', { as: 'manager', text: `merger ${nth}` });
    expect(await search('merger zebra')).toEqual(mine);
    expect(await search('merger', 'designer')).toMatchObject([{ room: 'general' }]);
    expect((await search('merger')).map(({ id }) => id)).toContain(own.id);
    expect(await search('149', 'designer')).toEqual([]);
  });
});

it('a search takes the same time for any number of private hits', async () => {
  const times = [0, 3, 24].map(async (ms) => {
    let at = 1_000;
    const wait = async (more: number) => {
      at += more;
    };
    const search = () => wait(ms).then(() => []);
    const clock = { now: () => at, wait };
    const index = { search };
    const rooms = { list: () => [] };
    const parts = { host: { clock }, rooms, store: { index } } as unknown as Parts;
    await searchFor(parts, { id: 'u', name: 'U', title: '' }, { as: 'u', text: 'word' }, '');
    return at;
  });
  expect(await Promise.all(times)).toEqual([1_025, 1_025, 1_025]);
});

describe('the index of a file from an earlier version', () => {
  it('is filled after the start, and stays right while messages change meanwhile', async () => {
    for (let nth = 0; nth < 130; nth += 1)
      await rig.say('general', { text: `message ${nth} ${'x'.repeat(900)}` });
    await rig.adapter.stop();
    const file = new DatabaseSync(join(rig.folder, 'console.sqlite'));
    const made = file.prepare(
      "SELECT type, name FROM sqlite_master WHERE type = 'trigger' OR name IN (?, ?, ?, ?, ?)",
    );
    for (const { type, name } of made.all(
      'arrivals',
      'reads',
      'message_part_terms',
      'message_words',
      'message_parts',
    ))
      file.exec(`DROP ${String(type)} ${String(name)}`);
    file.exec("DELETE FROM meta WHERE key = 'indexed_from'");
    file.close();
    rig = await rig.restart();
    const [oldest] = (await rig.get<{ messages: { id: string }[] }>('/console/rooms/general')).messages;
    await rig.post(`/console/messages/${oldest?.id}/edit`, { as: 'engineer', text: 'changed meanwhile' });
    await expect.poll(async () => (await found('message')).length).toBe(20);
    await expect.poll(async () => (await found('1')).length).toBe(20);
    await expect.poll(() => found('0')).toEqual([]);
    expect(await found('meanwhile')).toEqual(['changed [meanwhile]']);
    await rig.post(`/console/messages/${oldest?.id}/delete`, { as: 'engineer' });
    expect(await found('meanwhile')).toEqual([]);
  });
});
