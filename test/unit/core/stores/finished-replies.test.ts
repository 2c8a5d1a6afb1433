import { expect, test } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import { begin } from '../../../../src/core/live-reply/compose.ts';
import { createFinishedReplies } from '../../../../src/core/stores/finished-replies.ts';
import { turn } from '../../../fakes/samples.ts';
import { memoryKeyed } from '../../slack/keyed.ts';

const first = turn({ id: turnId('t1') });
const second = turn({
  id: turnId('t2'),
  reply: first.id,
  origin: { kind: 'regenerate', of: first.id, by: 'p' },
});
const document = { ...begin(first.id), state: 'done' as const, text: 'Twice.' };

/** A store whose writes continue until the test ends them, with or without an error. */
function slowStore() {
  const values = new Map<string, unknown>();
  const writes: PromiseWithResolvers<void>[] = [];
  return {
    /** Ends only the oldest write. */
    endFirst: () => writes.shift()?.resolve(),
    async end(error?: Error): Promise<void> {
      for (const write of writes.splice(0)) error ? write.reject(error) : write.resolve();
    },
    replies: createFinishedReplies({
      get: async (key) => values.get(key),
      async set(key, value) {
        const write = Promise.withResolvers<void>();
        writes.push(write);
        await write.promise;
        values.set(key, value);
      },
      delete: async (key) => void values.delete(key),
    }),
  };
}

test('a reply and its versions can be read during and after their write', async () => {
  const { replies, end } = slowStore();
  const kept = replies.keep(first, document);
  expect((await replies.find(first.id))?.document.text).toBe('Twice.');
  expect(await replies.editions(first.id)).toEqual([first.id]);
  await end();
  await kept;
  const more = replies.keep(second, { ...document, turn: second.id, text: 'Once.' });
  await expect.poll(() => replies.editions(first.id)).toEqual([first.id, second.id]);
  await end();
  await more;
  expect((await replies.find(second.id))?.document.text).toBe('Once.');
  expect(await replies.editions(first.id)).toEqual([first.id, second.id]);
});

test('a reply whose write failed is not found', async () => {
  const { replies, end } = slowStore();
  const kept = replies.keep(first, document);
  await end(new Error('the disk is full'));
  await expect(kept).rejects.toThrow('the disk is full');
  expect(await replies.find(first.id)).toBeUndefined();
});

test('a version that is stored again is read as it was stored last, also while the first write has just ended', async () => {
  const { replies, end, endFirst } = slowStore();
  const texts = ['First.', 'Second.'];
  const kept = texts.map((text) => replies.keep(first, { ...document, text }));
  endFirst();
  await kept[0];
  expect((await replies.find(first.id))?.document.text).toBe('Second.');
  await end();
  await kept[1];
  expect((await replies.find(first.id))?.document.text).toBe('Second.');
});

test('a reply keeps its 20 newest versions, each once, and is forgotten with all of them', async () => {
  const replies = createFinishedReplies(memoryKeyed());
  await replies.keep(first, document);
  const ids = Array.from({ length: 25 }, (_, nth) => turnId(`v${nth}`));
  for (const id of [...ids, ...ids.slice(-2)]) await replies.keep({ ...second, id }, document);
  expect(await replies.editions(first.id)).toEqual(ids.slice(-20));
  await replies.forget(first.id);
  expect(await replies.editions(first.id)).toEqual([]);
  for (const id of [first.id, ...ids]) expect(await replies.find(id)).toBeUndefined();
});

test('a version that Retry replaced is forgotten with its reply', async () => {
  const replies = createFinishedReplies(memoryKeyed());
  await replies.keep(first, document);
  await replies.keep({ ...second, origin: { kind: 'retry', of: first.id, by: 'p' } }, document);
  expect(await replies.editions(first.id)).toEqual([second.id]);
  await replies.forget(first.id);
  for (const { id } of [first, second]) expect(await replies.find(id)).toBeUndefined();
});
