/** Tests what the console does the second time, or for the second person, and after hours. */

import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Chat } from '../../../adapters/console/chat/chat.ts';
import { Feed } from '../../../adapters/console/chat/feed.ts';
import { SignedInPeople } from '../../../adapters/console/chat/people.ts';
import type { Change, ChatStore } from '../../../adapters/console/chat/ports.ts';
import type { MessageRecord } from '../../../adapters/console/chat/records.ts';
import type { ConsolePerson } from '../../../adapters/console/config.ts';
import { checkPublicAccess } from '../../../adapters/console/doctor.ts';
import { Streams } from '../../../adapters/console/http/streams.ts';
import { personId } from '../../../adapters/console/identity/claims.ts';
import { createSeal } from '../../../adapters/console/identity/seal.ts';
import type { Session } from '../../../adapters/console/identity/sessions.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { openSessions } from './session-store.ts';

const HOUR_MS = 60 * 60_000;

/** Returns a store with these rows, whose changes are stored at once. */
function storeOf(rows: object): ChatStore {
  const feed = new Feed(0);
  const change = <T>(work: (change: Change) => Promise<T>): Promise<T> =>
    work({
      ...{ rows: rows as Change['rows'], next: 1 },
      publish: (event) => feed.publish(event, 1),
      clearEvents: () => undefined,
    });
  return { isShared: true, rows, feed, change } as unknown as ChatStore;
}

describe('a person who signs in again', () => {
  const open = () => {
    const stored = new Map<string, ConsolePerson>();
    const rows = {
      people: async () => [...stored.values()],
      savePerson: async (one: ConsolePerson) => void stored.set(one.id, one),
    };
    return async () => {
      const people = new SignedInPeople(storeOf(rows), () => ['parley']);
      await people.load();
      return people;
    };
  };
  it.each([
    ['in one process', false],
    ['across restarts', true],
  ])('keeps their name, and others get a number, %s', async (_, restarts) => {
    const start = open();
    let people = await start();
    const put = async (id: string, name: string) => {
      if (restarts) people = await start();
      await people.put({ id, name, title: '' });
      return people.find(id)?.name;
    };
    for (let round = 0; round < 3; round += 1) {
      expect(await put('u1', 'Ada')).toBe('Ada');
      expect(await put('u12', 'Ada')).toBe('Ada (2)');
      expect(await put('u', 'ADA')).toBe(`ADA (3)`);
      expect(await put('p', 'Parley')).toBe('Parley (2)');
    }
    expect(await put('u1', 'Eve')).toBe('Eve');
    expect(await put('u12', 'Ada')).toBe('Ada');
  });

  it('is the same person only if issuer and subject are the same', () => {
    const pairs = ['https://a', 'https://b'].flatMap((issuer) =>
      ['1', '12', ''].map((one) => [issuer, one] as const),
    );
    const ids = new Set(pairs.map(([issuer, subject]) => personId(issuer, subject)));
    expect(ids.size).toBe(pairs.length);
    for (const [issuer, subject] of pairs) expect(ids).toContain(personId(issuer, subject));
  });
});

describe('a session', () => {
  const open = () => {
    const clock = createVirtualClock();
    const stored = new Map<string, Session>();
    return { clock, start: () => openSessions(stored, createSeal(new Uint8Array(32)), clock) };
  };
  const isOpenAfter = async (hours: readonly number[], restarts: boolean) => {
    const { clock, start } = open();
    let sessions = await start();
    const id = await sessions.begin('ada', undefined);
    let isOpen = true;
    for (const each of hours) {
      await clock.pass(each * HOUR_MS);
      if (restarts) sessions = await start();
      isOpen = sessions.use(id) !== undefined;
    }
    return isOpen;
  };

  it.each([
    ['used every 7 hours', [7, 7, 7], true],
    ['used every minute', Array.from({ length: 600 }, () => 1 / 60), true],
    ['unused for 8 hours', [7, 8], false],
    ['unused for 8 hours from the beginning', [8], false],
    ['a day old', [7, 7, 7, 3], false],
  ])('%s: is open %j', async (_, hours, due) => {
    for (const restarts of [false, true]) expect(await isOpenAfter(hours, restarts)).toBe(due);
  });
});

describe('event streams', () => {
  it('get a comment every 15 s, and end once their sign-in is invalid', async () => {
    const clock = createVirtualClock();
    const streams = new Streams(new Feed(0));
    const written: string[] = [];
    const valid = new Set(['ada', 'ben']);
    for (const person of valid) {
      const response = Object.assign(new EventEmitter(), {
        writeHead: () => undefined,
        write: (bytes: Buffer) => written.push(`${person} ${bytes}`),
        end: () => written.push(`${person} ended`),
      });
      streams.open(new EventEmitter() as IncomingMessage, response as unknown as ServerResponse, {
        ...{ since: undefined, person, mayRead: () => true },
        isValid: () => valid.has(person),
      });
    }
    const ended = new AbortController();
    const beating = streams.beat(clock, ended.signal);
    written.length = 0;
    await clock.pass(14_999);
    expect(written).toEqual([]);
    await clock.pass(1);
    expect(written).toEqual(['ada :\n\n', 'ben :\n\n']);
    valid.delete('ada');
    await clock.pass(15_000);
    expect(written.slice(2)).toContain('ada ended');
    expect(written.slice(2)).not.toContain('ben ended');
    ended.abort();
    await beating;
  });
});

describe('a rating', () => {
  it('belongs to the version that the reply shows, and to its person', async () => {
    let record = {
      id: 'm',
      room: 'r',
      thread: 'q',
      reply: { turn: 't1', root: 't1', text: '', media: [], sources: [] },
    } as unknown as MessageRecord;
    const rows = {
      message: async () => record,
      saveMessage: async (saved: MessageRecord) => {
        record = saved;
      },
      answers: async () => new Map(),
    };
    const extras = { link: () => undefined, otherRights: () => false, offersCorrection: () => false };
    const deps = {
      store: storeOf(rows),
      clock: createVirtualClock(),
      botName: 'b',
    };
    const chat = new Chat({ ...deps, extras });
    await chat.judge(record, 'u1', 'up');
    record = { ...record, reply: { ...record.reply, turn: 't2' } } as MessageRecord;
    await chat.judge(record, 'u1', 'down');
    await chat.judge(record, 'u12', 'down');
    expect(record.verdicts).toEqual({ t1: { u1: 'up' }, t2: { u1: 'down', u12: 'down' } });
    await chat.judge(record, 'u1', 'none');
    expect(record.verdicts).toEqual({ t1: { u1: 'up' }, t2: { u12: 'down' } });
    await chat.forgetPerson(record, 'u1');
    expect(record.verdicts).toEqual({ t1: {}, t2: { u12: 'down' } });
  });
});

describe('the check of the public address', () => {
  afterEach(() => void vi.unstubAllGlobals());
  const state = { people: [] };
  it.each<[string, () => Promise<Response>, ok: boolean, detail: string]>([
    ['shows its data', async () => Response.json(state), false, 'can read all messages'],
    [
      'asks for a sign-in',
      async () => Response.json({ error: {} }, { status: 401 }),
      true,
      'asks for a sign-in',
    ],
    ['refuses with data', async () => Response.json(state, { status: 403 }), true, 'asks for a sign-in'],
    ['fails with data', async () => Response.json(state, { status: 500 }), true, 'asks for a sign-in'],
    ['redirects', async () => new Response('', { status: 302 }), true, 'asks for a sign-in'],
    ['answers with a page', async () => new Response('<html>'), true, 'asks for a sign-in'],
    ['is not reached', async () => Promise.reject(new TypeError('fetch failed')), true, 'nothing answers at'],
  ])('of a console that %s', async (_, answer, ok, detail) => {
    vi.stubGlobal('fetch', answer);
    expect(await checkPublicAccess('https://chat.example/')).toMatchObject({
      ok,
      detail: expect.stringContaining(detail),
    });
  });
});
