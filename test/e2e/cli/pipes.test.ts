/** Tests commands in shell pipelines: piped and closed input, and output that cannot be written. */

import { spawn } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../../sandbox/index.ts';
import { freePorts } from '../../bench/free-ports.ts';
import { outputOf, type Ran } from '../house/output.ts';
import { giveDocuments } from '../house/read-documents.ts';
import { type DataFolder, ENTRY, makeDataFolder } from '../house/running-parley.ts';

let data: DataFolder;
let sandbox: RunningSandbox;
beforeAll(async () => {
  data = await makeDataFolder();
  await giveDocuments(data.path);
  sandbox = await startSandbox({ port: 0, memory: true, knowledge: [] });
  await writeFile(join(data.path, 'gone.yaml'), 'sandbox: { knowledge: ./nowhere }\n');
});
afterAll(async () => {
  await sandbox.close();
  await data.remove();
});

/** Runs a line of the shell in which `parley` is the command. */
function shell(line: string): Promise<Ran> {
  const script = `parley() { "$NODE" "$ENTRY" "$@"; }; ${line}`;
  const { PARLEY_CONFIG: _, ...environment } = process.env;
  const child = spawn('sh', ['-c', script], {
    cwd: data.path,
    env: {
      ...environment,
      NODE: process.execPath,
      ENTRY,
      PORT: '0',
      PARLEY_SANDBOX_PORT: String(sandbox.port),
      PARLEY_DATA: data.path,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return outputOf(child);
}

it.each<[string, string, RegExp, RegExp?]>([
  [
    'answers every piped line, also the last without its end, and shows no prompt',
    "printf 'one\\ntwo' | parley chat --agent echo; echo at $?",
    /^((?!you> ).)*\none\n((?!you> ).)*\ntwo\n((?!you> ).)*at 0\n$/s,
  ],
  ['ends at once with closed input', 'parley chat <&-; echo at $?', /at 0/s],
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
    'PARLEY_SANDBOX_PORT=0 parley ask "How long is a visitor pass valid?"; echo at $?',
    /Sources:\n {2}\[1\](?:\[\d\])* Badges((?!http).)*at 0/s,
  ],
  [
    'refuses a missing folder of documents',
    'parley config check --config gone.yaml; echo at $?',
    /at 78/s,
    /gone\.yaml:1:12: sandbox\.knowledge names "\.\/nowhere", which is not a folder\. Give an existing folder/,
  ],
])('%s', async (_, line, out, err = /^(· [\w ]+\n)*$/) => {
  const ran = await shell(line);
  expect(ran.out).toMatch(out);
  expect(ran.err).toMatch(err);
  expect(ran.err).not.toContain('    at ');
});

it('keeps the bridge running when nobody reads its output', async () => {
  const [port] = await freePorts();
  await using full = await open('/dev/full', 'w');
  const config = join(data.path, 'echo.yaml');
  const [{ apiKey } = { apiKey: '' }] = sandboxCatalogue.agents;
  const agent = { interface: 'lite-key', credential: { kind: 'api-key', key: apiKey } };
  await writeFile(config, JSON.stringify({ platform: { baseUrl: sandbox.url }, agents: { echo: agent } }));
  const bridge = spawn(process.execPath, [ENTRY, 'start'], {
    env: { ...process.env, PORT: String(port), PARLEY_CONFIG: config, PARLEY_DATA: join(data.path, 'full') },
    stdio: ['ignore', full.fd, full.fd],
  });
  const ended = outputOf(bridge);
  const status = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      (response) => response.status,
      () => 0,
    );
  await expect.poll(status).toBe(200);
  bridge.kill();
  expect((await ended).code).toBe(0);
});
