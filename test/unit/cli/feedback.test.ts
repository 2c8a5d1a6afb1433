import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { systemClock } from '../../../src/clock.ts';
import { agentName, turnId } from '../../../src/core/ids.ts';
import type { Feedback } from '../../../src/core/stores/feedback.ts';
import { openStore } from '../../../src/store/index.ts';
import { house } from '../../fakes/house.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-feedback-'));
  vi.stubEnv('PARLEY_DATA', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it.each([
  ['feedback'],
  ['status'],
  ['audit', 'export'],
  ['forget', 'person', 'slack/U1', '--yes'],
])('without data, parley %s says that the bridge did not start yet', async (...args) => {
  const lines = vi.spyOn(console, 'error').mockReturnValue();
  expect(await run(args, house)).toBe(70);
  expect(lines.mock.calls.join()).toContain(`the file ${folder}/parley.sqlite does not exist`);
});

const open = () => openStore({ file: join(folder, 'parley.sqlite'), clock: systemClock, log });
const word = (over: Partial<Feedback>): Feedback => ({
  turn: turnId('t1'),
  reply: turnId('t1'),
  person: 'ada',
  verdict: 'up',
  at: Date.UTC(2027, 0, 31),
  channel: 'console',
  tenant: 'console',
  room: 'general',
  agent: agentName('books'),
  ...over,
});
async function printed(...args: string[]): Promise<string> {
  const lines = vi.spyOn(console, 'log').mockReturnValue();
  expect(await run(['feedback', ...args], house)).toBe(0);
  return lines.mock.calls.flat().join('\n');
}

it('prints the feedback even while the bridge has the store open', async () => {
  const store = await open();
  await store.feedback.give(word({}));
  await store.feedback.give(word({ person: 'bo', verdict: 'down', note: '=1+1, "really"' }));
  expect(await printed()).toBe('books: 1 up, 1 down\n  books down: =1+1, "really"');
  expect(
    JSON.parse(await printed('--json').then((text) => text.slice(text.indexOf('[')))) as unknown,
  ).toMatchObject([
    { person: 'ada', verdict: 'up', at: '2027-01-31T00:00:00.000Z' },
    { person: 'bo', note: '=1+1, "really"' },
  ]);
  const csv = await printed('--csv');
  expect(csv).toContain('"at","agent","verdict","note"');
  expect(csv).toContain(`"down","'=1+1, ""really""","bo"`);
  await store.close();
});

it('reports missing feedback', async () => {
  const store = await open();
  await store.close();
  expect(await printed()).toBe('There is no feedback yet.');
});
