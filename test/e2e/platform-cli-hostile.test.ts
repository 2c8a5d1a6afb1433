/**
 * Tests the platform commands against a platform that sends hostile text, interrupts downloads, or rewrites its answer.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '../fakes/run-here.ts';
import { waitFor } from '../fakes/wait-for.ts';

type Answer = (response: ServerResponse) => void;

let server: Server;
let folder: string;
let config: string;
const cwd = process.cwd();
/** The platform's responses, each under a part of the address of the requests that get it. */
const answers = new Map<string, Answer>();

const json =
  (value: unknown): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
const data = (value: unknown): Answer => json({ success: true, msg: '', data: value });

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const found = [...answers].find(([part]) => request.url?.includes(part));
      (found?.[1] ?? data([]))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-hostile-'));
  answers.clear();
  answers.set('client_with_account', data({ access_token: 'tok', expires_in: 1440 }));
  const { port } = server.address() as AddressInfo;
  config = join(folder, 'parley.yaml');
  writeFileSync(
    config,
    `platform:
  baseUrl: http://127.0.0.1:${port}
  credentials: { open: { client: c, secret: s, account: a } }
agents:
  e: { interface: open, expertCode: e, credential: { kind: client-account, client: x, secret: y, account: z } }
`,
  );
  process.chdir(folder);
  return () => {
    process.chdir(cwd);
    rmSync(folder, { recursive: true });
  };
});

const parley = (...args: readonly string[]) => runHere(['platform', ...args, '--config', config]);
const beside = (): readonly string[] => readdirSync(folder).filter((name) => name !== 'parley.yaml');

const content =
  (name: string, ending: 'whole' | 'cut'): Answer =>
  (response) => {
    const disposition = `attachment; filename="${name}"`;
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': disposition,
    });
    response.write('partial ');
    setTimeout(() => (ending === 'cut' ? response.destroy() : response.end('and the rest')), 50);
  };
const DOWNLOAD = 'downloadDocument2MD';
const ID = '4493041505002323001';

describe('a command whose answer is no success', () => {
  const commands = [
    ['files', 'delete', ID, '--yes'],
    ['users', 'delete', 'ada', '--yes'],
    ['roles', 'set', 'ada', 'editor'],
    ['qna', 'create', 'Guide', '--questions', 'How?', '--answer', 'So.'],
    ['types', 'enable', '1'],
  ];
  const refusals = [
    { Success: false, Msg: 'no permission' },
    { success: 0, msg: 'no permission' },
  ];
  const table = commands.flatMap((command) => [
    ...refusals.map((body) => ({ command, body, code: 77, said: 'no permission' })),
    ...[false, {}, { msg: '' }].map((body) => ({ command, body, code: 70, said: 'did not confirm' })),
  ]);
  it.each(table)('$command is not done after $body', async ({ command, body, code, said }) => {
    answers.set('/v1/openapi/', json(body));
    const outcome = await parley(...command);
    expect([outcome.code, outcome.out]).toEqual([code, '']);
    expect(outcome.err).toContain(said);
  });

  it('a deletion without a body is done', async () => {
    answers.set('/v1/openapi/', (response) => void response.writeHead(204).end());
    expect(await parley('files', 'delete', ID, '--yes')).toMatchObject({ code: 0, out: 'Done.\n' });
  });
});

describe('an interrupted download', () => {
  beforeEach(() => void answers.set(DOWNLOAD, content('x.md', 'cut')));

  it('leaves the file that --force would have overwritten', async () => {
    writeFileSync('keep.md', 'precious');
    const { code } = await parley('files', 'markdown', ID, '-o', 'keep.md', '--force');
    expect(code).not.toBe(0);
    expect([readFileSync('keep.md', 'utf8'), beside()]).toEqual(['precious', ['keep.md']]);
  });

  it('leaves no file if there was none', async () => {
    const { code } = await parley('files', 'markdown', ID, '-o', 'new.md');
    expect(code).toBe(69);
    expect(beside()).toEqual([]);
  });
});

describe('a download that Ctrl-C ends', () => {
  it('leaves the old file and no temporary file', async () => {
    writeFileSync('keep.md', 'precious');
    answers.set(DOWNLOAD, (response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.write('partial ');
    });
    const main = new URL('../../src/main.ts', import.meta.url).pathname;
    const words = ['platform', 'files', 'markdown', ID, '-o', 'keep.md', '--force', '--config', config];
    const child = spawn(process.execPath, [main, ...words], { cwd: folder, stdio: 'ignore' });
    await waitFor(() => expect(beside()).toHaveLength(2));
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect([code, readFileSync('keep.md', 'utf8'), beside()]).toEqual([130, 'precious', ['keep.md']]);
  });
});

describe('a complete download', () => {
  beforeEach(() => void answers.set(DOWNLOAD, content('x.md', 'whole')));

  it('replaces the old file and keeps its mode', async () => {
    writeFileSync('keep.md', 'old', { mode: 0o600 });
    const { code } = await parley('files', 'markdown', ID, '-o', 'keep.md', '--force');
    expect([code, readFileSync('keep.md', 'utf8'), beside()]).toEqual([
      0,
      'partial and the rest',
      ['keep.md'],
    ]);
    expect(statSync('keep.md').mode & 0o777).toBe(0o600);
  });

  it('follows a link and replaces its target', async () => {
    writeFileSync('behind.md', 'old');
    symlinkSync('behind.md', 'link.md');
    await parley('files', 'markdown', ID, '-o', 'link.md', '--force');
    expect(readFileSync('behind.md', 'utf8')).toBe('partial and the rest');
  });

  it('is written into a device without replacing it', async () => {
    const { code } = await parley('files', 'markdown', ID, '-o', '/dev/null', '--force');
    expect([code, statSync('/dev/null').isCharacterDevice()]).toEqual([0, true]);
  });

  it('overwrites no file that appears during the download', async () => {
    answers.set(DOWNLOAD, (response) => {
      setTimeout(() => writeFileSync('new.md', 'mine'), 20);
      content('x.md', 'whole')(response);
    });
    const { code } = await parley('files', 'markdown', ID, '-o', 'new.md');
    expect([code, readFileSync('new.md', 'utf8'), beside()]).toEqual([64, 'mine', ['new.md']]);
  });

  it.each([
    ['no/such/folder/x.md', /cannot be written/],
    ['.', /is a folder/],
  ])('reports why it cannot be written to %s', async (path, message) => {
    const { code, err } = await parley('files', 'markdown', ID, '-o', path, '--force');
    expect([code, err]).toEqual([64, expect.stringMatching(message)]);
  });

  it('goes to standard output if the operator asks for it', async () => {
    const { out } = await parley('files', 'markdown', ID, '-o', '-');
    expect([out, beside()]).toEqual(['partial and the rest', []]);
  });
});

describe('the name that the platform gives a file', () => {
  it.each([
    ['-', 'markdown.bin'],
    ['.bashrc', 'bashrc'],
    ['../../.ssh/authorized_keys', 'authorized_keys'],
    ['C:\\\\Windows\\\\a.txt', 'a.txt'],
    ['C:a.txt', 'C_a.txt'],
    ['-rf', 'rf'],
    ['--', 'markdown.bin'],
    ['..', 'markdown.bin'],
    ['%2Fetc', '%2Fetc'],
    ['a b (1).md', 'a b (1).md'],
  ])('%s becomes %s', async (name, path) => {
    answers.set(DOWNLOAD, content(name, 'whole'));
    const { code, out } = await parley('files', 'markdown', ID);
    expect([code, beside()]).toEqual([0, [path]]);
    expect(out).toContain(`${path} (`);
  });
});

describe('an answer that is rewritten', () => {
  it('is printed again completely', async () => {
    answers.set('chat/expert', (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = (text: string, finish: string | null): void =>
        void response.write(
          `data: ${JSON.stringify({ success: true, data: { content: text, finish_reason: finish } })}\n\n`,
        );
      piece('one two three four five six seven eight ', null);
      piece('one two three four five six seven eight nine ten ', null);
      piece('one two three four five six seven eight nine ten eleven ', null);
      piece('one two three four five six SEVEN eight nine ten eleven twelve ', null);
      piece('', 'stop');
      response.end();
    });
    const { code, out } = await parley('experts', 'ask', 'e', 'Count', '--stream');
    const tellings = out.trim().split('\n\n---\n\n');
    expect([code, tellings.at(-1)]).toEqual([
      0,
      'one two three four five six SEVEN eight nine ten eleven twelve',
    ]);
    expect(tellings.filter((telling) => !telling.startsWith('one two three '))).toEqual([]);
  });
});

describe('the texts of a hostile platform', () => {
  it('never control the terminal', async () => {
    const bad = '\u001b[2J\u009b31m\u202egnp';
    answers.set('/user/me', data({ id: '1', userId: '2', userName: `u${bad}` }));
    answers.set('/rag', data({ searchId: '1', items: [{ chunkId: '1', metadata: { [bad]: 'v' } }] }));
    answers.set('/user/me/roles', json({ success: false, msg: `no${bad} way` }));
    for (const args of [
      ['users', 'me'],
      ['users', 'me', '--json'],
      ['roles', 'mine'],
      ['retrieval', 'search', 'x'],
    ]) {
      const { out, err } = await parley(...args);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that these characters are absent
      expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });
});

describe('a configuration', () => {
  it.each([
    [['clients', 'list'], /Set platform\.credentials\.adminToken\./],
    [['images', 'upload', 'parley.yaml'], /Set platform\.credentials\.apiKey/],
    [['chat', 'by-key', '--messages', '[]', '--agent', 'e'], /agent "e" has none.*--agent/],
  ])('without a credential names the missing setting: %j', async (args, message) => {
    const { code, err } = await parley(...args).catch(() => ({ code: -1, err: '' }));
    expect([code, err]).toEqual([78, expect.stringMatching(message)]);
  });

  it('accepts a platform on this machine over http', async () => {
    const { code, out } = await parley('check');
    expect([code, out]).toEqual([0, expect.not.stringMatching(/FAULT|encryption/)]);
  });

  it('reports a remote platform over http as a fault', async () => {
    writeFileSync(
      config,
      `platform: { baseUrl: 'http://platform.invalid', allowInsecureHttp: true, credentials: { apiKey: k } }
agents:
  e: { interface: lite-key, credential: { kind: api-key, key: k } }
`,
    );
    const { code, out } = await parley('check');
    expect([code, out]).toEqual([1, expect.stringMatching(/FAULT {2}platform main, encryption/)]);
  });
});
