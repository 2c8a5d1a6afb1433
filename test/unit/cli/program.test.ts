import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { house } from '../../fakes/house.ts';

afterEach(() => vi.restoreAllMocks());

it('ends with exit code 64 for wrong usage and 0 for help', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await run(['nonsense'], house)).toBe(64);
  expect(await run(['ask'], house)).toBe(64);
  expect(await run(['start', '--nonsense'], house)).toBe(64);
  expect(await run(['--help'], house)).toBe(0);
});

it('reports a fault in plain words, with its exit code', async () => {
  const told = vi.spyOn(console, 'error').mockReturnValue();
  expect(await run(['config', 'check', '--config', '/nowhere/parley.yaml'], house)).toBe(78);
  expect(told.mock.calls.flat().join('\n')).toContain('/nowhere/parley.yaml: the file does not exist');
  expect(told.mock.calls.flat().join('\n')).not.toContain('at file:');
});

it('prints the schema of the configuration', async () => {
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  expect(await run(['config', 'schema'], house)).toBe(0);
  expect(JSON.parse(String(printed.mock.calls[0]?.[0]))).toMatchObject({ type: 'object' });
});

it('reports a channel that cannot be loaded, with the exit code of a fault', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-check-'));
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, 'channels: [{ module: ./gone.mjs }]\n');
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  const told = vi.spyOn(console, 'error').mockReturnValue();
  expect(await run(['config', 'check', '--config', file], house)).toBe(78);
  expect(printed.mock.calls.flat().join()).toContain('names channels that cannot be loaded');
  expect(told.mock.calls.flat().join()).toMatch(/The channel in \.\/gone\.mjs cannot be loaded: .*gone\.mjs/);
  rmSync(folder, { recursive: true });
});
