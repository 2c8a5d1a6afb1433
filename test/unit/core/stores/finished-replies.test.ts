import { expect, test } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import { begin } from '../../../../src/core/live-reply/compose.ts';
import { createFinishedReplies } from '../../../../src/core/stores/finished-replies.ts';
import { turn } from '../../../fakes/samples.ts';

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
