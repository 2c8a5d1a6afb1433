import { expect, it } from 'vitest';
import { watchParent } from '../../../src/cli/own-process.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const ours = { npm_lifecycle_event: 'start', npm_package_name: 'parley' };

async function watched(environment: Readonly<Record<string, string>>) {
  const clock = createVirtualClock();
  let parent = 7;
  let gone = 0;
  const tell = () => {
    gone += 1;
  };
  const watch = watchParent({ clock, environment, parent: () => parent, gone: tell });
  await clock.pass(5_000);
  expect(gone).toBe(0);
  return {
    clock,
    watch,
    gone: () => gone,
    async orphan() {
      parent = 1;
      await clock.pass(1_000);
    },
  };
}

it('reports once that the parent is gone, if npm started one of our scripts', async () => {
  const { orphan, gone, clock, watch } = await watched(ours);
  await orphan();
  expect(gone()).toBe(1);
  await clock.pass(10_000);
  expect(gone()).toBe(1);
  await watch.stop();
});

it.each([
  {},
  { npm_lifecycle_event: 'deploy', npm_package_name: 'parley' },
  { npm_lifecycle_event: 'start', npm_package_name: 'another' },
])('ignores the loss of the parent otherwise, because it may be intended', async (environment) => {
  const { orphan, gone, clock } = await watched(environment);
  await orphan();
  expect(gone()).toBe(0);
  expect(clock.waiting).toBe(0);
});

it('stops checking once it is stopped', async () => {
  const { orphan, gone, clock, watch } = await watched(ours);
  await watch.stop();
  expect(clock.waiting).toBe(0);
  await orphan();
  expect(gone()).toBe(0);
});
