import { expect, test } from 'vitest';
import { createTasks } from '../../../src/core/tasks.ts';

test('all work is awaited, including work that started meanwhile', async () => {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const tasks = createTasks(() => undefined);
  let ended = false;
  tasks.start(() => first.promise.then(() => tasks.start(() => second.promise)));
  const all = tasks.allEnded().then(() => {
    ended = true;
  });
  first.resolve();
  await first.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect([ended, tasks.size > 0]).toEqual([false, true]);
  second.resolve();
  await all;
  expect(tasks.size).toBe(0);
});

test('a failure is reported and counts as ended', async () => {
  const failures: unknown[] = [];
  const tasks = createTasks((error) => failures.push(error));
  tasks.start(() => Promise.reject(new Error('no')));
  tasks.start(() => new Promise(() => undefined));
  await tasks.oneEnded();
  expect([failures.length, tasks.size]).toEqual([1, 1]);
});

test('waiting again and again for one of many tasks takes no memory', () => {
  const tasks = createTasks(() => undefined);
  for (let task = 0; task < 1_000; task++) tasks.start(() => new Promise(() => undefined));
  const before = process.memoryUsage().heapUsed;
  for (let wait = 0; wait < 1_000; wait++) void tasks.oneEnded();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
});
