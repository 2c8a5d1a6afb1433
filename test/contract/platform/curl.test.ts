/**
 * Runs the commands of docs/platform/curl.md in order in one shell, which proves that the API works without Parley's
 * client. Compares the requests and answers with the OpenAPI document.
 */

import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import { operations } from '../../../src/platform/api.ts';
import { commands } from '../../docs/pages.ts';
import { differences, documentedFor } from './documented.ts';
import { type Exchange, type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';

const root = new URL('../../../', import.meta.url).pathname;
const CORPUS = `${root}sandbox/corpus`;
const lines = commands(readFileSync(`${root}docs/platform/curl.md`, 'utf8'));
const run = promisify(execFile);
const here = spawnSync('curl', ['--version']).error === undefined;
if (!here) process.stderr.write('curl is not installed: the lines of docs/platform/curl.md are not tried.\n');

let sandbox: RunningSandbox;
let proxy: RecordingProxy;
beforeAll(async () => {
  const options = { paceMs: 0, fileStateMs: 0 };
  sandbox = await startSandbox({ port: 0, memory: true, knowledge: [CORPUS], options });
  await sandbox.indexed;
  proxy = await startRecordingProxy(sandbox.url);
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
});

describe.skipIf(!here)('the lines for curl', () => {
  it('all work', async () => {
    // Each response is printed on its own line. The script fails if a variable stays empty, or contains a whole
    // response in JSON instead of one value.
    const script = ['set -euo pipefail', ...lines.map(told)]
      .join('\n')
      .replace('http://127.0.0.1:3001', proxy.url)
      // Links in responses contain the sandbox's own address, with which requests would bypass the recording proxy.
      .replace(
        /^LINK=.*$/m,
        (line) => `${line}\nLINK="\${LINK/${hostOf(sandbox.url)}/${hostOf(proxy.url)}}"`,
      );
    const { stdout } = await run('bash', ['-c', script], { cwd: root, maxBuffer: 10_000_000 });
    const answers = stdout.split('\n').filter((line) => line !== '');
    expect(answers.length).toBe(lines.filter(isShown).length);
    for (const answer of answers) {
      const { success, code } = JSON.parse(answer);
      expect(success === true || (code >= 200 && code < 300), answer).toBe(true);
    }
  }, 120_000);

  it('use every operation', () => {
    const used = new Set(proxy.exchanges.map((exchange) => documentedFor(exchange)?.operationId));
    expect(operations.map(({ id }) => id).filter((id) => !used.has(id))).toEqual([]);
  });

  it('send requests and get answers that match the OpenAPI document', () => {
    expect(proxy.exchanges.flatMap(differences)).toEqual([]);
  });

  it('fail the comparison if the document is wrong', () => {
    const [first] = proxy.exchanges.filter((each) => documentedFor(each)?.operationId === 'me');
    const other = (change: Partial<Exchange>) => differences({ ...(first as Exchange), ...change });
    expect(other({ path: '/v1/openapi/user/you/me' })).toEqual([
      expect.stringContaining('not in the document'),
    ]);
    expect(other({ path: '/v1/openapi/user/me?all=1' })).toEqual(['me: query all is unknown']);
    expect(other({ answer: '{"success":true,"data":{"sort":"first"}}' })).toEqual([
      expect.stringMatching(/^me: answer\.data\.sort: /),
    ]);
  });
});

const hostOf = (url: string): string => new URL(url).host;

/** True if the command prints its answer. */
const isShown = (line: string): boolean => line.startsWith('curl') && !line.includes(' -o ');

/**
 * Appends a check to a command that sets a variable from a response, and a line break to a command that prints its
 * response.
 */
function told(line: string): string {
  const [, name] = /^([A-Z]+)=\$\(curl/.exec(line) ?? [];
  if (name !== undefined)
    return `${line}\ncase "$${name}" in ''|*{*) echo "${name} was not found" >&2; exit 1;; esac`;
  return isShown(line) ? `${line}; echo` : line;
}
