/** Tests commands in shell pipelines: piped and closed input, and output that cannot be written. */

import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outputOf, type Ran } from '../house/output.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const entry = fileURLToPath(new URL('../../../bin/parley.js', import.meta.url));
let data: DataFolder;
beforeAll(async () => {
  data = await makeDataFolder();
  await mkdir(join(data.path, 'documents'));
  await writeFile(join(data.path, 'documents/bikes.md'), '# Bikes\n\nThe bike shed opens at 07:00.\n');
  await writeFile(join(data.path, 'good.yaml'), `sandbox: { knowledge: ${join(data.path, 'documents')} }\n`);
  await writeFile(join(data.path, 'gone.yaml'), 'sandbox: { knowledge: ./nowhere }\n');
});
afterAll(() => data.remove());

/** Runs a line of the shell in which `parley` is the command. */
function shell(line: string): Promise<Ran> {
  const script = `parley() { "$NODE" "$ENTRY" "$@"; }; ${line}`;
  const { PARLEY_CONFIG: _, ...environment } = process.env;
  const child = spawn('sh', ['-c', script], {
    cwd: data.path,
    env: {
      ...environment,
      NODE: process.execPath,
      ENTRY: entry,
      PORT: '0',
      PARLEY_SANDBOX_PORT: '0',
      PARLEY_DATA: join(data.path, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return outputOf(child);
}

it.each<[string, string, RegExp, RegExp?]>([
  [
    'answers every piped line',
    "printf 'one\\ntwo\\n' | parley chat --agent echo; echo at $?",
    /one.*two.*at 0/s,
  ],
  ['answers a line without its end', 'printf one | parley chat --agent echo; echo at $?', /\none\n.*at 0/s],
  [
    'shows no prompt in a pipe',
    "printf 'one\\n' | parley chat --agent echo; echo at $?",
    /^((?!you> ).)*at 0\n$/s,
  ],
  ['ends at once without input', 'parley chat < /dev/null; echo at $?', /at 0/s],
  ['ends at once with closed input', 'parley chat <&-; echo at $?', /at 0/s],
  [
    'ends when its reader has read enough',
    "printf 'use echo\\none\\n' | parley chat | head -1",
    /^Type "help"/,
  ],
  [
    'names the agents, if an agent is unknown',
    'parley chat --agent nosuch; echo at $?',
    /at 64/s,
    /"nosuch" here\. Known agents: knowledge, guide/,
  ],
  [
    'says that a full disk took no output',
    'parley config check > /dev/full; echo at $?',
    /at 74/s,
    /^The output cannot be written: .*ENOSPC/,
  ],
  [
    'goes on without standard error',
    "parley ask --agent fail-demo 'fail in the middle' 2> /dev/full; echo at $?",
    /begins well.*at 65/s,
  ],
  [
    'prints no link into a sandbox that ends with it',
    'parley ask "How long is a visitor pass valid?"; echo at $?',
    /Sources:\n {2}\[1\](?:\[\d\])* Badges((?!http).)*at 0/s,
  ],
  [
    'saves an image of a sandbox that ends with it',
    'parley ask --agent media-demo --json hello',
    /"at": "file:((?!"http).)*$/s,
  ],
  [
    'refuses a missing folder of documents',
    'parley config check --config gone.yaml; echo at $?',
    /at 78/s,
    /gone\.yaml:1:12: sandbox\.knowledge names "\.\/nowhere", which is not a folder\. Give an existing folder/,
  ],
  ['reads a folder of documents', 'parley ask --config good.yaml "When does the bike shed open?"', /07:00/],
  [
    'keeps the pages of the guide beside a folder of documents',
    'parley ask --config good.yaml --agent guide "How do I connect Slack?"',
    /Sources:\n {2}\[1\]\[2\] Slack/,
  ],
  [
    'prints no link to a section in a sandbox that ends with it',
    'parley ask --agent guide "Do I need a backup?"; echo at $?',
    /^((?!http).)*1\. Backup \(Operating\) \[1\]((?!http).)*at 0/s,
  ],
  [
    'names the help of the command',
    'parley config check --nope; echo at $?',
    /at 64/s,
    /Try: .*parley -- config check --help/,
  ],
  [
    'names the help of a platform command',
    'parley platform users list --nope; echo at $?',
    /at 64/s,
    /Try: .*parley -- platform users list --help/,
  ],
])('%s', async (_, line, out, err = /^(· [\w ]+\n)*$/) => {
  const ran = await shell(line);
  expect(ran.out).toMatch(out);
  expect(ran.err).toMatch(err);
  expect(ran.err).not.toContain('    at ');
});

it('keeps the bridge running when nobody reads its output', async () => {
  const { out } = await shell(
    '"$NODE" "$ENTRY" start > /dev/full 2> /dev/full & bridge=$!; parley ask --agent echo hello; kill -0 $bridge && kill $bridge; wait $bridge; echo at $?',
  );
  expect(out).toMatch(/hello.*at 0/s);
});
