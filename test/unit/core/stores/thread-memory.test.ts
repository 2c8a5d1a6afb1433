import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentName, turnId } from '../../../../src/core/ids.ts';
import { createThreadMemory, type ThreadMemory } from '../../../../src/core/stores/thread-memory.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { manualClock, recordingLog } from '../../../contract/store/manual-clock.ts';
import { source, thread } from '../../../fakes/samples.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Tolerance in milliseconds, because the store also subtracts the real time of its own calls from a value's lifetime.
 */
const MARGIN_MS = 1_000;
const clock = manualClock();
const answered = source({ fragments: [{ text: 'Two years from the day of purchase.' }] });
let store: Store;
let memory: ThreadMemory;

beforeEach(async () => {
  store = await openStore({ file: ':memory:', clock, log: recordingLog() });
  memory = createThreadMemory(store.keyed('threads'));
});
afterEach(() => store.close());

test('passages of sources are kept for one day', async () => {
  await memory.keepAnswer(thread(), turnId('t1'), [answered]);
  clock.advance(DAY_MS - MARGIN_MS);
  expect(await memory.lastSources(thread())).toEqual([answered]);
  clock.advance(MARGIN_MS);
  expect(await memory.lastSources(thread())).toEqual([]);
  expect(await memory.lastAnswer(thread())).toBeUndefined();
});

test('the chosen agent and language are kept for 30 days', async () => {
  await memory.chooseAgent(thread(), agentName('books'));
  await memory.speak(thread(), 'de');
  clock.advance(30 * DAY_MS - MARGIN_MS);
  expect(await memory.chosenAgent(thread(), 'ada')).toBe('books');
  expect(await memory.language(thread())).toBe('de');
  clock.advance(MARGIN_MS);
  expect(await memory.chosenAgent(thread(), 'ada')).toBeUndefined();
  expect(await memory.language(thread())).toBeUndefined();
});

test('documents can be undone for ten minutes', async () => {
  const uploads = { uploads: [{ id: 'd1', name: 'plan.pdf', workspace: 'w' }], by: 'ada' };
  await memory.keepUploads(thread(), uploads);
  clock.advance(HOUR_MS / 6 - MARGIN_MS);
  expect(await memory.lastUploads(thread())).toEqual(uploads);
  clock.advance(MARGIN_MS);
  expect(await memory.lastUploads(thread())).toBeUndefined();
});

test.each([
  'channel',
  'tenant',
  'room',
  'key',
] as const)('threads that differ only in their %s share nothing', async (member) => {
  const other = thread({ [member]: 'another' });
  await memory.keepAnswer(thread(), turnId('t1'), [answered]);
  await memory.chooseAgent(thread(), agentName('books'));
  await memory.speak(thread(), 'de');
  expect(await memory.lastSources(other)).toEqual([]);
  expect(await memory.chosenAgent(other, 'ada')).toBeUndefined();
  expect(await memory.language(other)).toBeUndefined();
});

test('each person has an own prompt about personal data, for a day', async () => {
  await memory.keepPrompt(thread(), 'U1', turnId('t1'));
  expect(await memory.lastPrompt(thread(), 'U12')).toBeUndefined();
  await memory.keepPrompt(thread(), 'U12', turnId('t2'));
  await memory.keepPrompt(thread(), 'U12', turnId('t3'));
  const prompts = () => Promise.all(['U1', 'U12', 'U'].map((each) => memory.lastPrompt(thread(), each)));
  expect(await prompts()).toEqual(['t1', 't3', undefined]);
  clock.advance(DAY_MS);
  expect(await prompts()).toEqual([undefined, undefined, undefined]);
  expect(await memory.hasPrompted(thread())).toBe(true);
});

test('in a direct chat, a person’s choice holds in their other threads, unless a thread has its own', async () => {
  const [one, other] = [thread({ kind: 'direct' }), thread({ kind: 'direct', key: 'another' })];
  await memory.chooseAgent(one, agentName('books'), 'U1');
  await memory.chooseAgent(one, agentName('sales'), 'U12');
  const chosen = (at: typeof one, by: string) => memory.chosenAgent(at, by);
  expect([await chosen(other, 'U1'), await chosen(other, 'U12')]).toEqual(['books', 'sales']);
  expect([await chosen(one, 'U1'), await chosen(other, 'U')]).toEqual(['sales', undefined]);
});
