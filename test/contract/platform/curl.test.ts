/** The page's lines in one shell, in its order, so that nothing works with our own client only. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { commands } from '../../docs/pages.ts';

const root = new URL('../../../', import.meta.url).pathname;
const CORPUS = `${root}src/sandbox/corpus`;
const page = readFileSync(`${root}docs/platform/curl.md`, 'utf8');
const run = promisify(execFile);

let sandbox: RunningSandbox;
beforeAll(async () => {
  const options = { paceMs: 0, fileStateMs: 0 };
  sandbox = await startSandbox({ port: 0, memory: true, knowledge: [CORPUS], options });
  await sandbox.indexed;
});
afterAll(() => sandbox.close());

it('every line of the page works with curl', async () => {
  const lines = commands(page);
  expect(lines.length).toBeGreaterThan(50);
  // Each answer on a line of its own; a variable that stayed empty or whole is an answer that was not understood.
  const script = ['set -euo pipefail', ...lines.map(told)]
    .join('\n')
    .replace('http://127.0.0.1:3001', sandbox.url);
  const { stdout } = await run('bash', ['-c', script], { cwd: root, maxBuffer: 10_000_000 });
  const answers = stdout.split('\n').filter((line) => line !== '');
  expect(answers.length).toBe(lines.filter((line) => line.startsWith('curl')).length);
  for (const answer of answers) {
    const { success, code } = JSON.parse(answer);
    expect(success === true || (code >= 200 && code < 300), answer).toBe(true);
  }
}, 120_000);

/** The line, which ends the script with its own text where it gives nothing. */
function told(line: string): string {
  const [, name] = /^([A-Z]+)=\$\(curl/.exec(line) ?? [];
  if (name !== undefined)
    return `${line}\ncase "$${name}" in ''|*{*) echo "${name} was not found" >&2; exit 1;; esac`;
  return line.startsWith('curl') ? `${line}; echo` : line;
}
