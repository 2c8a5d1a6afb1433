/** `npm run takeover -- CHECKOUT`: tests that this version finishes the replies that the version in CHECKOUT began. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const given = process.argv[2];
const before = resolve(given ?? '.');
if (given === undefined || !existsSync(join(before, 'node_modules'))) {
  process.stderr.write(
    'Give the folder of an earlier checkout, with its packages installed:\n' +
      '  git worktree add --detach ../parley-before TAG && npm --prefix ../parley-before ci\n' +
      '  npm run takeover -- ../parley-before\n',
  );
  process.exit(2);
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/takeover/vitest.config.ts'];
const { status } = spawnSync(process.execPath, vitest, {
  stdio: 'inherit',
  env: { ...process.env, PARLEY_BEFORE: before },
});
process.exit(status ?? 1);
