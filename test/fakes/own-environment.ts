/** Loaded before each test file: files share a process, so what one changes in the process ends with it. */

import { afterAll, vi } from 'vitest';

const folder = process.cwd();
const before = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  process.chdir(folder);
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
