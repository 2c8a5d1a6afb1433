import { expect, test } from 'vitest';
import { createOnce } from '../../../../src/kit/once.ts';
import { memoryKeyed } from '../keyed.ts';

test('the same event does its work once, at the same time, later, and after a restart', async () => {
  const values = new Map<string, unknown>();
  let done = 0;
  const work = async () => {
    done += 1;
  };
  const once = createOnce(memoryKeyed(values));
  await Promise.all([once('Ev1', work), once('Ev1', work)]);
  await once('Ev1', work);
  await createOnce(memoryKeyed(values))('Ev1', work);
  expect(done).toBe(1);
  await once('Ev2', work);
  expect(done).toBe(2);
});

test('an event whose work failed does it again', async () => {
  const once = createOnce(memoryKeyed());
  await expect(once('Ev1', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  let done = false;
  await once('Ev1', async () => {
    done = true;
  });
  expect(done).toBe(true);
});
