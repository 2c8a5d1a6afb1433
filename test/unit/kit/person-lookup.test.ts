import { describe, expect, test } from 'vitest';
import { createPersonLookup, type LookupDeps } from '../../../src/kit/person-lookup.ts';
import { person } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

interface Place {
  readonly tenant: string;
  readonly room: string;
}

const place: Place = { tenant: 't1', room: 'r1' };
const HOUR_MS = 60 * 60_000;

function open(over: Partial<LookupDeps<Place>> = {}) {
  const clock = createVirtualClock();
  const calls = { single: [] as string[], list: 0 };
  const lookup = createPersonLookup<Place>({
    clock,
    listOf: ({ room }) => room,
    async *readList() {
      calls.list += 1;
      yield* Array.from({ length: 50 }, (_, nth) => person({ id: `U${nth}` }));
    },
    async lookUp(_, { id }) {
      calls.single.push(id);
      return person({ id });
    },
    ...over,
  });
  return { clock, calls, lookup };
}

const never = () => new Promise<never>(() => undefined);
const many = (count: number) => Array.from({ length: count }, (_, nth) => ({ id: `U${nth}` }));

describe('a person', () => {
  test('is looked up once by concurrent callers, and again after an hour', async () => {
    const { clock, calls, lookup } = open();
    await Promise.all([lookup.find(place, { id: 'U1' }), lookup.find(place, { id: 'U1' })]);
    await clock.pass(HOUR_MS - 1);
    await lookup.find(place, { id: 'U1' });
    expect(calls.single).toEqual(['U1']);
    await clock.pass(1);
    await lookup.find(place, { id: 'U1' });
    expect(calls.single).toEqual(['U1', 'U1']);
  });

  test('is looked up again after a failure, and after the tenant was forgotten', async () => {
    let isDown = true;
    const { lookup } = open({
      lookUp: async (_, { id }) => {
        if (isDown) throw new Error('down');
        return person({ id, name: 'Found' });
      },
    });
    await expect(lookup.find(place, { id: 'U1' })).rejects.toThrow('down');
    isDown = false;
    await expect(lookup.find(place, { id: 'U1' })).resolves.toMatchObject({ name: 'Found' });
    lookup.forget('t1');
    isDown = true;
    await expect(lookup.find(place, { id: 'U1' })).rejects.toThrow('down');
  });

  test('is still found for the other callers when one gives up', async () => {
    const answer = Promise.withResolvers<void>();
    const { lookup } = open({ lookUp: (_, { id }) => answer.promise.then(() => person({ id })) });
    const over = new AbortController();
    const first = lookup.find(place, { id: 'U1' }, over.signal);
    const second = lookup.find(place, { id: 'U1' });
    over.abort(new Error('given up'));
    await expect(first).rejects.toThrow('given up');
    answer.resolve();
    await expect(second).resolves.toMatchObject({ id: 'U1' });
  });
});

describe('the list', () => {
  test('is not read for 19 concurrent look-ups', async () => {
    const { calls, lookup } = open();
    await Promise.all(many(19).map((each) => lookup.find(place, each)));
    expect(calls).toMatchObject({ list: 0, single: { length: 19 } });
  });

  test('is read once for 20, resolves all of them, and saves the other look-ups', async () => {
    const signals: AbortSignal[] = [];
    const { calls, lookup } = open({
      lookUp: (_, __, { signal }) => {
        signals.push(signal);
        return never();
      },
    });
    const found = await Promise.all(many(20).map((each) => lookup.find(place, each)));
    expect(found.map(({ id }) => id)).toEqual(many(20).map(({ id }) => id));
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    await new Promise(setImmediate);
    await lookup.find(place, { id: 'U49' });
    expect(calls.list).toBe(1);
    expect(signals).toHaveLength(20);
  });

  test('is read for one room only, and again after five minutes at the earliest', async () => {
    const clock = createVirtualClock();
    const read: string[] = [];
    const { lookup } = open({
      clock,
      async *readList({ room }) {
        read.push(room);
        yield* [];
      },
    });
    let nth = 0;
    const askMany = () =>
      Promise.all(Array.from({ length: 20 }, () => lookup.find(place, { id: `N${nth++}` })));
    await askMany();
    await clock.pass(299_000);
    await askMany();
    expect(read).toEqual(['r1']);
    await clock.pass(1_000);
    await askMany();
    expect(read).toEqual(['r1', 'r1']);
  });

  test('that cannot be read leaves the single look-ups', async () => {
    const { calls, lookup } = open({
      // biome-ignore lint/correctness/useYield: this list fails before it yields the first person
      async *readList() {
        throw new Error('down');
      },
    });
    await Promise.all(many(30).map((each) => lookup.find(place, each)));
    expect(calls.single).toHaveLength(30);
  });
});

test('a forgotten tenant takes no other with it whose id begins alike', async () => {
  const { calls, lookup } = open();
  for (const tenant of ['t1', 't12']) await lookup.find({ ...place, tenant }, { id: 'U1' });
  lookup.forget('t1');
  for (const tenant of ['t1', 't12']) await lookup.find({ ...place, tenant }, { id: 'U1' });
  expect(calls.single).toHaveLength(3);
});

test('look-ups that have ended do not count as concurrent, whether they found the person or failed', async () => {
  const { calls, lookup } = open({
    lookUp: (_, { id }) =>
      id.endsWith('3') ? Promise.reject(new Error('down')) : Promise.resolve(person({ id })),
  });
  for (const each of many(45)) await lookup.find(place, each).catch(() => undefined);
  expect(calls.list).toBe(0);
});
