import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Act } from '../../../src/core/stores/audit.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { house } from '../../fakes/house.ts';
import { quiet } from '../../fakes/quiet.ts';

const ENTRY = new URL('../../../bin/parley.js', import.meta.url).pathname;
const SECOND_MS = 1_000;

let folder: string;
let store: Store;
let now: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-audit-'));
  vi.stubEnv('PARLEY_DATA', folder);
  now = Date.UTC(2026, 10, 22, 23, 59, 58);
  const clock = { ...systemClock, now: () => now };
  store = await openStore({ file: join(folder, 'parley.sqlite'), clock, log: quiet });
});
afterEach(async () => {
  await store.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const act = (over: Partial<Act>): Act => ({ action: 'share', outcome: 'done', channel: 'slack', ...over });

/** Adds one act each second. The third act is the first one on November 23. */
async function addActs(...acts: readonly Partial<Act>[]): Promise<void> {
  for (const each of acts) {
    await store.audit.add(act(each));
    now += SECOND_MS;
  }
}

async function printed(...options: readonly string[]): Promise<string> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(await run(['audit', 'export', ...options], house)).toBe(0);
    return out.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    out.mockRestore();
  }
}

const people = (text: string): readonly unknown[] =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { person?: string }).person);

it('prints one JSON object a line, also while the bridge has the store open', async () => {
  await addActs({ person: 'ada', detail: 'share to C1' });
  expect(JSON.parse(await printed())).toEqual({
    ...{ at: '2026-11-22T23:59:58.000Z', action: 'share', outcome: 'done', channel: 'slack' },
    ...{ person: 'ada', detail: 'share to C1' },
  });
});

it('selects by time and person', async () => {
  await addActs(
    { person: 'a' },
    { person: 'b', tenant: 'T1' },
    { person: 'c' },
    { person: 'b', tenant: 'T2' },
  );
  expect(people(await printed('--from', '2026-11-23'))).toEqual(['c', 'b']);
  expect(people(await printed('--to', '2026-11-22'))).toEqual(['a', 'b']);
  expect(people(await printed('--from', '2026-11-23T00:00Z'))).toEqual(['c', 'b']);
  expect(
    people(await printed('--from', '2026-11-22T23:59:59Z', '--to', '2026-11-23T01:00:01+01:00')),
  ).toEqual(['b', 'c']);
  expect(people(await printed('--person', 'b'))).toEqual(['b', 'b']);
  expect(people(await printed('--person', 'slack/T2/b', '--from', '2026-11-22'))).toEqual(['b']);
  expect(people(await printed('--person', 'teams/b'))).toEqual([]);
});

it.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '＝1',
  '\r=1',
])('writes the cell %j so that no spreadsheet evaluates it', async (cell) => {
  await addActs({ person: cell, room: `a "b", ${cell}` });
  const [head, line] = (await printed('--format', 'csv')).split('\n"2026').map((each) => each.trimEnd());
  expect(head).toBe(
    '"at","action","outcome","person","channel","tenant","room","thread","kind","agent","account","session","turn","ms","questionChars","answerChars","files","sources","rule","detail","question","answer","code"',
  );
  expect(line).toContain(`,"'${cell}","slack","","a ""b"", ${cell}",`);
});

it.each([
  [['--from', 'yesterday'], '"yesterday" is not a time for --from. Write a date'],
  [['--to', '2026-02-31T00:00Z'], '"2026-02-31T00:00Z" is not a time for --to.'],
  [['--from', '2026-11-23', '--to', '2026-11-22'], '--from must be before --to.'],
  [['--format', 'xml'], 'There is no format "xml".'],
  [['--person', 'a/b/c/d'], '"a/b/c/d" is not a person.'],
  [['--person', 'slack/'], '"slack/" is not a person.'],
])('refuses %j with the cure', async (options, told) => {
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  expect(await run(['audit', 'export', ...options], house)).toBe(64);
  expect(errors.mock.calls.flat().join()).toContain(told);
});

it('prints 100,000 records without holding them in memory', async () => {
  const database = new DatabaseSync(join(folder, 'parley.sqlite'));
  database.exec(`WITH RECURSIVE nth (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM nth WHERE n < 100000)
    INSERT INTO audit (at, action, outcome, person, facts)
    SELECT 1000 + n / 7, 'ask', 'answered', 'person ' || n, '{"detail":"${'x'.repeat(1_000)}"}' FROM nth`);
  database.close();
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, '{}');
  // The records have more than 100 MB, but the heap of the process may have only 48 MB.
  const args = ['--max-old-space-size=48', ENTRY, 'audit', 'export', '--config', file];
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$0" "$@" | wc -l', process.execPath, ...args], {
    env: { ...process.env },
  });
  expect(Number(stdout)).toBe(100_000);
});
