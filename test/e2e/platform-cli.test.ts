/** Tests every operation as a command against the sandbox; `parley platform operations` lists the commands. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../sandbox/index.ts';
import { listedOperations } from '../../src/cli/platform/show.ts';
import { signature } from '../../src/platform/credentials.ts';
import { runHere } from '../fakes/run-here.ts';

const root = new URL('../..', import.meta.url).pathname;
const CORPUS = join(root, 'sandbox/corpus');
const PICTURE = join(CORPUS, 'images/floor-plan.png');
const { liteClient, openClient, workspaceType, categories, agents } = sandboxCatalogue;
const uuid = (name: string): string => agents.find((agent) => agent.name === name)?.uuid ?? '';

let sandbox: RunningSandbox;
let folder: string;
const before = { ...process.env };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-cli-'));
  sandbox = await startSandbox({
    port: 0,
    memory: true,
    knowledge: [CORPUS],
    options: { paceMs: 0, fileStateMs: 0 },
  });
  await sandbox.indexed;
  Object.assign(process.env, { PARLEY_SANDBOX_PORT: String(sandbox.port), PARLEY_DATA: folder });
});
afterAll(async () => {
  process.env = before;
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const written = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const parley = (...args: readonly string[]) => runHere(args);

const used = new Set<string>();
// biome-ignore lint/suspicious/noExplicitAny: the tests read only a few fields of the printed JSON
async function json(...args: readonly string[]): Promise<any> {
  used.add(`${args[0]} ${args[1]}`);
  const { code, out, err } = await parley('platform', ...args, '--json');
  if (code !== 0) throw new Error(`parley platform ${args.join(' ')}: ${code} ${err}`);
  return JSON.parse(out === '' ? 'null' : out);
}

describe('every operation', () => {
  it('of signing in works', async () => {
    const secret = written('secret', liteClient.clientSecret);
    const lite = await json(
      'auth',
      'client-token',
      liteClient.clientId,
      'admin',
      '--client-secret-file',
      secret,
    );
    expect(lite).toMatchObject({ tokenType: 'Bearer', expiresIn: 7200 });
    expect(await json('auth', 'idp', '--token-file', written('idp', 'sandbox-idp-admin\n'))).toMatchObject({
      expiresIn: 1440,
    });
    const parts = { client: openClient.client, account: 'admin', timestamp: Date.now(), nonce: 'q1w2e3' };
    const signed = written('signature', signature({ ...parts, secret: openClient.secret }));
    const places = [parts.client, parts.account, String(parts.timestamp), parts.nonce];
    expect((await json('auth', 'client', ...places, '--signature-file', signed)).accessToken).toMatch(/\./);
  });

  it('of chats and references works', async () => {
    const messages = '[{role: user, content: How long is a visitor pass valid?}]';
    expect((await json('chat', 'by-key', '--messages', messages)).text).toContain('[1]');
    expect((await json('chat', 'by-token', uuid('knowledge'), '--messages', messages)).session).toMatch(/./);
    const answer = await json('experts', 'ask', 'knowledge', 'How long is a visitor pass valid?');
    expect((await json('references', 'list', answer.chatRecord))[0].type).toBe('document');
    const grown = await parley('platform', 'experts', 'ask', 'echo', 'Say it again', '--stream');
    expect(grown.out.replaceAll('\n', '')).toContain('Say it again');
    expect(grown.err).toMatch(/session: \d{19}/);
    expect(grown.err).toMatch(/chatRecord: \d{19}/);
    const thinking = await json(
      'experts',
      'ask',
      'knowledge',
      'How long is a visitor pass valid?',
      '--include-thought',
    );
    expect(thinking.thoughts[0]).toMatchObject({ name: expect.any(String), state: 'done' });
  });

  it('of images and media works', async () => {
    const ids = await json('images', 'upload', PICTURE, PICTURE);
    expect(ids).toHaveLength(2);
    expect(await json('images', 'upload-legacy', uuid('image-demo'), PICTURE)).toHaveLength(1);
    const messages = `[{role: user, content: [{type: image_ids, image_ids: ["${ids[0]}"]}]}]`;
    const shown = await json('chat', 'by-token', uuid('image-demo'), '--messages', messages);
    const [, fileId = ''] = /\]\((\d+)\)/.exec(shown.text) ?? [];
    const [{ link }] = await json('media', 'links', fileId);
    const saved = join(folder, 'saved.png');
    await json('media', 'file', link.split('/').at(-1), '-o', saved);
    expect(readFileSync(saved)).toEqual(readFileSync(PICTURE));
    const [document] = sandbox.documents();
    const detail = await json('media', 'detail', document?.id ?? '');
    const preview = await json('media', 'preview', detail.id, detail.objectType, String(detail.filetype));
    expect(preview.link).toContain('/share/document/');
  });

  it('of clients and the lite administration works', async () => {
    const made = await json('clients', 'create', 'From the shell', '--trusted-domains', 'example.com');
    expect(made.clientSecret).toMatch(/.{20}/);
    expect((await json('clients', 'list')).items.map((each: { name: string }) => each.name)).toContain(
      'From the shell',
    );
    await json('lite', 'create-user', 'shelly', 'shelly@example.com', 'Shelly');
    const { items } = await json('users', 'list', '--where', 'userName=shelly');
    expect(await json('lite', 'user', items[0].id)).toMatchObject({ realName: 'Shelly' });
    await json(
      'lite',
      'create-assistant',
      '--file',
      written('assistant.yaml', 'info:\n  name: Shell guide\n'),
    );
    expect(await json('lite', 'assistant', uuid('echo'))).toMatchObject({ info: { name: 'echo' } });
    const workspace = (await json('workspaces', 'list')).flatMap(
      (each: { workspaces: object[] }) => each.workspaces,
    );
    const { id } = workspace.find((each: { name: string }) => each.name === 'folder');
    expect(await json('lite', 'upload', id, written('lite.md', 'Lite.'))).toEqual([
      expect.objectContaining({ fullName: '/lite.md' }),
    ]);
  });

  it('of bots works', async () => {
    const names = '[{languageCode: en-US, content: Shell bot}]';
    expect((await json('bots', 'create', 'shell-bot', '--names', names)).id).toMatch(/^\d{19}$/);
  });

  it('of files works', async () => {
    const path = written('wombat.md', '# Wombats\n\nWombats dig.\n');
    const { id, chunkingState } = await json('files', 'upload', 'folder', path, '--wait');
    expect(chunkingState).toBe('success');
    expect((await json('files', 'list', 'folder', '--all')).length).toBeGreaterThan(5);
    expect((await json('files', 'chunks', id)).items[0].content).toContain('Wombats dig');
    const saved = join(folder, 'out.md');
    await json('files', 'markdown', id, '-o', saved);
    expect(readFileSync(saved, 'utf8')).toBe('# Wombats\n\nWombats dig.\n');
    await json('files', 'metadata', id, '--metadata-template', '[{name: Land, value: Tasmania}]');
    expect((await json('retrieval', 'search', 'Tasmania', '--rag-mode', 'fullText')).items[0].fileId).toBe(
      id,
    );
    await json('files', 'delete', id, '--yes');
    const both = ['files', 'upload-many', 'folder', path, written('x.broken.md', 'x'), '--wait'];
    const many = await parley('platform', ...both, '--json');
    const states = JSON.parse(many.out).map((each: { state: string }) => each.state);
    expect([many.code, states]).toEqual([1, ['success', 'fail']]);
    expect(many.err).toMatch(/x\.broken\.md could not be indexed: \S/);
    const one = await parley('platform', 'files', 'upload', 'folder', written('y.broken.md', 'y'), '--wait');
    expect([one.code, one.err]).toEqual([1, expect.stringMatching(/y\.broken\.md could not be indexed/)]);
    const { stateId } = await json('files', 'upload-many', 'folder', path);
    expect(await json('files', 'batch', stateId)).toHaveLength(1);
    await json('qna', 'create', 'handbook', '--questions', 'Where?', '--answer', 'There.');
  });

  it('of workspaces and types works', async () => {
    const { id } = await json(
      'workspaces',
      'create',
      ...['from-shell', workspaceType.id, categories[0]?.id ?? ''],
      ...['--settings', '{setting: {maxLength: 400}}'],
    );
    const body = `id: ${id}
name: from-shell-2
description: Changed
workspaceTypeId: ${workspaceType.id}
workspaceTypeName: Documents
classificationId: ${categories[0]?.id}
notice: ''
`;
    const omit = ['enable', 'settings', 'metadataTemplate'].flatMap((name) => ['--omit', name]);
    await json('workspaces', 'update', '--file', written('workspace.yaml', body), ...omit);
    await json('workspaces', 'delete', id, '--yes');
    const record = `code: shell
title: [{languageCode: en-US, content: Shell}]
icon: ''
sort: 5
description: ''
`;
    await json('types', 'create', '--file', written('type.yaml', record));
    const types = await json('types', 'list');
    const { value } = types.find((each: { label: string }) => each.label === 'Shell');
    await json('types', 'update', value, '--file', written('type.yaml', record), '--description', 'Changed');
    expect(await json('types', 'get', value)).toMatchObject({ description: 'Changed' });
    await json('types', 'enable', value, '--no-enable');
    await json('types', 'delete', value, '--yes');
  });

  it('of users, roles and organizations works', async () => {
    const users = written('users.yaml', '[{userName: dora, userInfo: {realName: Dora}}, {userName: emil}]');
    expect(await json('users', 'create', '--file', users)).toHaveLength(2);
    await json('users', 'enable', 'dora');
    await json('users', 'disable', 'dora');
    await json('users', 'switch', 'dora', 'emil', '--operation');
    expect(await json('users', 'update', 'dora', '--region', 'North')).toMatchObject({
      region: 'North',
      realName: 'Dora',
    });
    const whole = await json('users', 'get', 'dora');
    expect(whole).toMatchObject({ enable: true, gender: 'female' });
    const { id, active, gender, sort, enable, external, isIdp, realName } = whole;
    const blank = {
      spell: '',
      serialNumber: '',
      nickName: '',
      birthday: '',
      mobilePhone: '',
      email: '',
      chatAccount: '',
    };
    const rest = { avatar: '', region: '', joinTime: '', description: '', officePhoneNumber: '' };
    const record = { id, active, gender, sort, enable, external, isIdp, realName, ...blank, ...rest };
    await json('users', 'replace', '--file', written('user.json', JSON.stringify(record)));
    expect((await json('users', 'get', 'dora')).region ?? '').toBe('');
    await json('users', 'delete', 'dora', 'emil', '--yes');
    expect(await json('users', 'me')).toMatchObject({ userName: 'admin' });
    expect(await json('roles', 'mine', '--as', 'member-two')).toEqual([
      expect.objectContaining({ roleName: 'Project team' }),
    ]);
    expect(await json('roles', 'set', 'member-two', 'Staff')).toHaveLength(1);
    expect(await json('roles', 'list', 'member-two')).toHaveLength(1);
    const lab = await json('orgs', 'create', 'lab', 'Lab', '--parent-code', 'company');
    await json('orgs', 'update', 'Laboratory', '--code', 'lab', '--parent-code', 'company');
    await json('orgs', 'update', '--code', 'lab', '--is-enable', '--remarks', 'White coats');
    const renamed = await json('orgs', 'update', 'Laboratories', '--code', 'lab');
    expect(renamed).toMatchObject({ isEnable: true, remarks: 'White coats', parentId: lab.parentId });
    expect(await json('orgs', 'update', '--code', 'lab', '--location', 'Basement')).toMatchObject({
      name: 'Laboratories',
      isEnable: true,
      location: 'Basement',
    });
    await json('orgs', 'update', 'Laboratory', '--code', 'lab');
    const tree = await parley('platform', 'orgs', 'tree');
    expect(tree.out).toContain('─ Laboratory');
    expect((await json('orgs', 'tree'))[0].nodeName).toBe('Company');
    const { userId } = await json('users', 'get', 'member-one');
    await json(
      'orgs',
      'add-users',
      '--file',
      written('pairs.yaml', `[{organizationId: ${lab.id}, userId: ${userId}}]`),
    );
    expect((await json('orgs', 'users', '--where', `OrganizationId=${lab.id}`)).items).toHaveLength(1);
    expect((await json('orgs', 'all-users', '--where', 'organizationName^=Lab')).items).toHaveLength(1);
    await json('orgs', 'remove-users', '--organization-ids', lab.id, '--user-ids', userId, '--yes');
    await json('orgs', 'delete', 'lab', '--yes');
  });

  it('was called at least once', () => {
    expect(listedOperations).toHaveLength(61);
    expect(listedOperations.map(({ command }) => command).filter((command) => !used.has(command))).toEqual(
      [],
    );
  });
});

describe('a command', () => {
  it('prints a table, and the total number of items on a page', async () => {
    const { out, err } = await parley('platform', 'users', 'list', '--where', 'userName~member');
    expect(out).toMatch(/^id +userId +accountId +userName/);
    expect(err).toMatch(/2 shown, 2 in all/);
  });

  it('asks before an action that cannot be undone, and refuses without a terminal', async () => {
    const { code, err } = await parley('platform', 'users', 'delete', 'member-one');
    expect([code, err]).toEqual([64, expect.stringMatching(/cannot be undone. Add --yes/)]);
    expect(await json('users', 'get', 'member-one')).toMatchObject({ userName: 'member-one' });
  });

  it('says that a secret is shown once, and does not store it', async () => {
    const { err } = await parley('platform', 'clients', 'create', 'Once');
    expect(err).toMatch(/shown only once/);
  });

  it('overwrites no file without --force', async () => {
    const path = written('there.md', 'mine');
    const { id } = await json('files', 'upload', 'folder', written('w.md', 'Wombat.'), '--wait');
    const refused = await parley('platform', 'files', 'markdown', id, '-o', path);
    expect([refused.code, readFileSync(path, 'utf8')]).toEqual([64, 'mine']);
    await json('files', 'markdown', id, '-o', path, '--force');
    expect(readFileSync(path, 'utf8')).toBe('Wombat.\n');
  });

  it('imports users from CSV, with passwords from a separate file only', async () => {
    const csv = written('users.csv', 'userName,realName,external\nfred,"Fred, the first",true\ngina,吉娜,\n');
    const made = await json('users', 'import', csv, '--password-file', written('pw', 'hush'));
    expect(made).toHaveLength(2);
    expect(await json('users', 'get', 'fred')).toMatchObject({ realName: 'Fred, the first', external: true });
    for (const [text, message] of [
      ['userName,password\nx,y\n', /--password-file/],
      ['userName,shoeSize\nx,44\n', /shoeSize/],
      ['realName\nNobody\n', /userName/],
      ['userName,realName\n"x', /CSV/],
      ['userName,external\nx,true\n\ny,maybe\n', /Row 4, column external: .*"maybe"/],
      ['userName,realName,Sort\nx,"two\nlines",1\ny,Y,many\n', /Row 3, column Sort: .*"many"/],
    ] as const) {
      const { code, err } = await parley('platform', 'users', 'import', written('bad.csv', text));
      expect([code, err]).toEqual([64, expect.stringMatching(message)]);
    }
  });

  it('reads words for true and false in CSV in any letter case', async () => {
    const csv = written('words.csv', 'userName,external\nhugo,NO\nida,Yes\njan,0\nkira,1\n');
    const made = await json('users', 'import', csv);
    expect(made).toHaveLength(4);
    for (const [name, external] of [
      ['hugo', false],
      ['ida', true],
      ['jan', false],
      ['kira', true],
    ] as const)
      expect(await json('users', 'get', name)).toMatchObject({ external });
  });

  it('refuses an empty file as a password', async () => {
    const empty = written('empty', ' \n');
    const csv = written('lena.csv', 'userName\nlena\n');
    const { code, err } = await parley('platform', 'users', 'import', csv, '--password-file', empty);
    expect([code, err]).toEqual([64, expect.stringMatching(/--password-file: .* is empty/)]);
    const other = await parley('platform', 'auth', 'idp', '--token-file', empty);
    expect([other.code, other.err]).toEqual([64, expect.stringMatching(/--token-file: .* is empty/)]);
  });

  it('warns about a password among the arguments, and about no other member', async () => {
    const create = ['platform', 'users', 'create'];
    const told = await parley(...create, '--users', '[{userName: mona, password: Hush-hush-1}]');
    expect(told.err).toMatch(/history.*password in --users.*--file/);
    expect(told.err).not.toContain('Hush');
    const without = await parley(...create, '--users', '[{userName: nora, password: ""}, {userName: olaf}]');
    const file = written('pia.yaml', '[{userName: pia, password: Hush-hush-1}]');
    const kept = await parley(...create, '--file', file);
    expect(without.err + kept.err).not.toMatch(/password/i);
  });

  it.each([
    [['users', 'list', '--where', 'nonsense'], 64, /is not a condition/],
    [['users', 'get'], 65, /userCode: is missing/],
    [['users', 'get', 'nobody'], 65, /unknown/],
    [['users', 'get', 'me'], 65, /users me/],
    [['bots', 'create', 'x'.repeat(51), '--names', '[]'], 65, /at most 50 characters, not 51/],
    [['retrieval', 'search', 'x', '--topk', 'many'], 64, /must be a number/],
    [['retrieval', 'search', 'x', '--rag-mode', 'psychic'], 65, /hybrid, embedding, fullText, not "psychic"/],
    [['files', 'upload', 'folder', '/no/such/file'], 64, /no file/],
    [['users', 'create', '--file', '/no/such/file'], 64, /cannot be read/],
    [['bots', 'create', 'y', '--names', '{'], 64, /--names/],
    [['chat', 'by-key', '--agent', 'nobody'], 64, /Known agents/],
    [['users', 'lst'], 64, /no operation "lst": unknown command. Known commands: create, .*import/],
    [['userz'], 64, /no capability "userz": unknown command. Known commands: operations, .*users/],
    [['users', 'get', 'x', '--shape'], 64, /unknown option/],
  ])('%j ends with %i and a reason', async (args, code, message) => {
    const outcome = await parley('platform', ...args);
    expect([outcome.code, outcome.err]).toEqual([code, expect.stringMatching(message)]);
  });

  it('refuses a body with multiplying references', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((name, nth) => {
        const before = `*${'abcdefg'[nth]}`;
        return `${name}: &${name} [${Array(10).fill(before).join(',')}]`;
      }),
    ].join('\n');
    const { code, err } = await parley('platform', 'bots', 'create', '--file', written('bomb.yaml', bomb));
    expect([code, err]).toEqual([64, expect.stringMatching(/--file: .*alias/i)]);
  });

  it('checks the platform and the sign-ins', async () => {
    expect((await parley('platform', 'check')).out).toMatch(/reachable: answers/);
    expect((await parley('platform', 'auth', 'test')).out).toMatch(/Open API: signed in as admin/);
    expect((await parley('platform', 'auth', 'test', '--as', 'disabled')).code).toBe(1);
    expect((await parley('platform', 'auth', 'token')).out.split('.')).toHaveLength(3);
  });

  it('uses the configured credentials, and names a missing one', async () => {
    const config = written(
      'parley.yaml',
      `platform:
  baseUrl: ${sandbox.url}
  credentials:
    open: { client: ${openClient.client}, secret: ${openClient.secret}, account: member-one }
agents:
  echo: { interface: open, expertCode: echo, credential: { kind: client-account, client: x, secret: y, account: z } }
`,
    );
    expect(await json('users', 'me', '--config', config)).toMatchObject({ userName: 'member-one' });
    const { code, err } = await parley('platform', 'clients', 'list', '--config', config);
    expect([code, err]).toEqual([
      78,
      expect.stringMatching(/administrator's token.*Set platform.credentials.adminToken\./),
    ]);
  });
});

describe('the program', () => {
  it('runs as a process and prints its help like a manual', () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      ['src/main.ts', 'platform', 'files', 'upload', '--help'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    expect(status).toBe(0);
    for (const part of [
      'Usage: npm run -s parley -- platform files upload',
      'POST /v1/openapi',
      'Example:',
      'Exit codes:',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it.skipIf(!existsSync('/bin/bash'))('completes commands in bash', async () => {
    const { out } = await parley('completion', 'bash');
    const script = written('completion.sh', out);
    const ask = (words: string) =>
      spawnSync(
        'bash',
        [
          '-c',
          `source ${script}; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _parley; echo "\${COMPREPLY[@]}"`,
        ],
        { encoding: 'utf8' },
      ).stdout.trim();
    expect(ask('parley pla')).toBe('platform');
    expect(ask('parley platform work')).toBe('workspaces');
    expect(ask('parley platform users imp')).toBe('import');
    expect(ask('parley platform users list --whe')).toBe('--where');
    expect(ask('parley platform retrieval search --rag-mode ""')).toBe('hybrid embedding fullText');
    expect(ask('parley platform retrieval search "visitor pass" --rag-mode e')).toBe('embedding');
    expect(ask('parley platform retrieval search --rag-mode = f')).toBe('fullText');
    expect(ask('parley platform retrieval search --rag-mode =')).toBe('hybrid embedding fullText');
    expect(ask('parley platform retrieval search --rag-mode hybrid --rag-m')).toBe('--rag-mode');
    expect(ask('parley platform files chunks --image-format h')).toBe('html');
    expect(ask('parley platform files list --image-format h')).not.toBe('html');
    expect((await parley('completion', 'fish')).out).toMatch(
      /"platform retrieval search"' -l rag-mode -x -a 'hybrid embedding fullText'/,
    );
    for (const shell of ['zsh', 'fish'])
      expect((await parley('completion', shell)).out).toContain('platform users');
    expect((await parley('completion', 'cmd')).err).toMatch(/Known shells: bash, zsh, fish/);
  });
});
