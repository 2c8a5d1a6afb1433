/** Measures the web console with 10,000 messages in a room: search, opening the room, and unread messages. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { SqliteChat } from '../../adapters/console/chat/sqlite.ts';
import { json, openRig, type Rig } from '../unit/console/rig.ts';
import { atMost, type Figure, part, quantile } from './figure.ts';

const MESSAGES = 10_000;
const ROUNDS = 40;
const SEARCH_MS = 100;
const OPEN_MS = 300;
const WORDS =
  'pump valve seal hall manual pressure motor flange bearing gasket sensor cable panel service'.split(' ');
const QUERIES: Readonly<Record<string, string>> = {
  'a word of every message': 'report',
  'one letter': 'p',
  'two words': 'pump valve',
  'a word of one message': 'needle5000',
  'two Chinese characters': '预算',
  'no hit': 'zzzz',
  'a word of 10,000 private messages of another person': 'confidential',
};

export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-console-'));
  const file = join(folder, 'console.sqlite');
  await new SqliteChat(file).close();
  fillRoom(file, 'general', (nth) => `report ${nth} needle${nth} 预算表`);
  fillRoom(file, 'direct~manager~knowledge', (nth) => `confidential ${nth}`);
  const rig = await openRig({ folder });
  const figures: Figure[] = [];
  for (const [name, text] of Object.entries(QUERIES)) {
    const search = () => read(rig, '/console/search', { as: 'engineer', text });
    figures.push(
      atMost(`console: search, ${name}, p95`, await part(`search ${text}`, () => p95(search)), SEARCH_MS),
    );
  }
  const open = () => read(rig, '/console/rooms/general');
  const unread = () => read(rig, '/console/unread', { as: 'engineer' });
  figures.push(atMost('console: open the room, p95', await p95(open), OPEN_MS));
  figures.push(atMost('console: unread messages, p95', await p95(unread), SEARCH_MS));
  await rig.close();
  return [...figures, await part('index an old file', measureFill)];
}

/** Measures the longest pause of other work while the messages of an older file are indexed. */
async function measureFill(): Promise<Figure> {
  const file = join(await mkdtemp(join(tmpdir(), 'parley-bench-console-')), 'console.sqlite');
  await new SqliteChat(file).close();
  fillRoom(file, 'general', (nth) => `report ${nth}`);
  const raw = new DatabaseSync(file);
  for (const table of ['message_words', 'message_parts'])
    raw.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
  const trigger = raw.prepare("SELECT sql FROM sqlite_master WHERE name = 'messages_indexed'").get();
  raw.exec(
    `DROP TRIGGER messages_indexed; UPDATE meta SET value = ${MESSAGES + 1} WHERE key = 'indexed_from'`,
  );
  raw.exec(String(trigger?.sql));
  raw.close();
  const store = new SqliteChat(file);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await store.index.fill(() => delay(0));
  delays.disable();
  await store.close();
  return atMost('console: longest pause while an old file is indexed', delays.max / 1e6, SEARCH_MS);
}

function fillRoom(file: string, room: string, textOf: (nth: number) => string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const add = database.prepare(
    'INSERT INTO messages (id, room, thread, at, engaged, due, body) VALUES (?, ?, ?, ?, 0, 0, ?)',
  );
  for (let nth = 1; nth <= MESSAGES; nth += 1) {
    const id = `${room}-${nth}`;
    const filler = Array.from({ length: 60 }, (_, at) => WORDS[(nth * 7 + at * at) % WORDS.length]).join(' ');
    const author = { kind: 'person', id: 'manager', name: 'Manager' };
    const body = {
      id,
      room,
      thread: id,
      at: nth,
      author,
      text: `${textOf(nth)} ${filler}`,
      files: [],
      seq: nth,
    };
    add.run(id, room, id, nth, JSON.stringify(body));
  }
  database.exec('COMMIT');
  database.close();
}

async function p95(work: () => Promise<void>): Promise<number> {
  const times = [];
  for (let nth = 0; nth < ROUNDS; nth += 1) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return quantile(times, 0.95);
}

async function read(rig: Rig, path: string, body?: unknown): Promise<void> {
  const response = await rig.call(path, body === undefined ? undefined : json(body));
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
  await response.arrayBuffer();
}
