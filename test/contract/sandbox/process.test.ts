import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { CORPUS, call, KEY_CHAT, key, temporaryFolder, user } from './support.ts';

const MAIN = new URL('../../../sandbox/main.ts', import.meta.url).pathname;
const NODE = new URL('../../../node_modules/.bin/node', import.meta.url).pathname;

interface Started {
  readonly child: ChildProcess;
  readonly messages: { type: string; url?: string; done?: number; total?: number }[];
  readonly errors: () => string;
}

describe('sandbox: the process', () => {
  const data = temporaryFolder(afterAll);

  const run = (args: readonly string[]): Started => {
    const child = fork(MAIN, ['--data', data, '--knowledge', CORPUS, ...args], {
      execPath: NODE,
      stdio: 'pipe',
    });
    const messages: Started['messages'] = [];
    let errors = '';
    child.on('message', (message) => messages.push(message as Started['messages'][number]));
    child.stderr?.on('data', (part) => {
      errors += part;
    });
    return { child, messages, errors: () => errors };
  };
  const ready = async ({ child, messages }: Started): Promise<string> => {
    while (!messages.some((message) => message.type === 'ready')) await once(child, 'message');
    return messages.find((message) => message.type === 'ready')?.url ?? '';
  };

  it('reports its address and progress to its parent, answers, and exits with code 0 on SIGTERM', async () => {
    const started = run(['--port', '0']);
    const url = await ready(started);
    const answer = await call(url + KEY_CHAT, { body: user('hello'), headers: key('echo') });
    expect(answer.json.data.full_output).toBe('hello');
    const isLast = ({ done, total = 0 }: Started['messages'][number]) => total > 9 && done === total;
    while (!started.messages.some(isLast)) await once(started.child, 'message');
    started.child.kill('SIGTERM');
    expect(await once(started.child, 'exit')).toEqual([0, null]);
  });

  it('exits with code 0 when its parent disconnects', async () => {
    const started = run(['--port', '0']);
    await ready(started);
    started.child.disconnect();
    expect(await once(started.child, 'exit')).toEqual([0, null]);
  });

  it('names the next free port if its port is in use, and exits with code 69', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const started = run(['--port', String(port)]);
    const [code] = await once(started.child, 'close');
    blocker.close();
    expect(code).toBe(69);
    expect(started.errors()).toMatch(
      new RegExp(`Port ${port} is in use; the next free one is \\d+\\. Start with --port \\d+`),
    );
  });

  it('explains wrong arguments', async () => {
    for (const args of [['--port', 'many'], ['--nothing']]) {
      const started = run(args);
      const [code] = await once(started.child, 'close');
      expect(code).toBe(64);
      expect(started.errors()).toContain('Usage:');
    }
  });
});
