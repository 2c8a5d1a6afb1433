/** Tests `parley accounts` beside a store that is open, as in a running bridge, with both engines. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAccountLinks } from '../../../src/bridge/account-links.ts';
import { openKeys } from '../../../src/bridge/keys.ts';
import { LINKS } from '../../../src/bridge/link-records.ts';
import { openStorage } from '../../../src/bridge/storage.ts';
import { run } from '../../../src/cli/program.ts';
import { systemClock } from '../../../src/clock.ts';
import { createAccountTable } from '../../../src/core/agents/access.ts';
import type { AccountLinks } from '../../../src/core/stores/account-links.ts';
import { type Store, sealKeyed } from '../../../src/store/index.ts';
import { house, load } from '../../fakes/house.ts';
import { missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { quiet } from '../../fakes/quiet.ts';
import { person, thread } from '../../fakes/samples.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const inSlack = (tenant: string) => thread({ channel: 'slack', tenant, kind: 'direct' });
const inConsole = thread({ channel: 'console', tenant: 'console', kind: 'direct' });
const u1 = person({ id: 'U1', name: 'Ada\u202e in Slack' });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-accounts-'));
  vi.stubEnv('PARLEY_DATA', folder);
  writeFileSync(
    join(folder, 'accounts.csv'),
    'account,email\nada@p,ada@example.org\n\nben@p,ben@example.org\n',
  );
  writeSettings({ linkDays: DAYS, file: join(folder, 'accounts.csv') });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function writeSettings(identity: object): void {
  const file = join(folder, 'parley.yaml');
  const table = [{ channel: 'console', person: 'engineer', account: 'eng@p' }];
  writeFileSync(file, JSON.stringify({ identity: { table, ...identity } }));
  vi.stubEnv('PARLEY_CONFIG', file);
}

async function command(...args: readonly string[]) {
  const spies = [vi.spyOn(console, 'log').mockReturnValue(), vi.spyOn(console, 'error').mockReturnValue()];
  try {
    const code = await run(['accounts', ...args], house);
    const [out = '', err = ''] = spies.map((spy) => spy.mock.calls.flat().join('\n'));
    return { code, out, err };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const listed = async (): Promise<readonly Record<string, unknown>[]> =>
  JSON.parse((await command('list', '--json')).out);

test('without a store, the entries of the table and the file are listed, and no file is created', async () => {
  expect((await command('list')).out.split('\n')).toEqual([
    'eng@p: console/engineer, from identity.table',
    `ada@p: ada@example.org, from ${join(folder, 'accounts.csv')}:2`,
    `ben@p: ben@example.org, from ${join(folder, 'accounts.csv')}:4`,
  ]);
  expect((await command('unlink', 'slack/U1')).code).toBe(1);
  writeSettings({ table: [] });
  expect((await command('list')).out).toBe('No person has a platform account.');
});

test.each([
  [['unlink', 'U1'], 'names no channel. Write CHANNEL/ID'],
  [['unlink', 'a/b/c/d'], 'is not a person. Write'],
])('%j is refused with the cure', async (args, told) => {
  expect(await command(...args)).toMatchObject({ code: 64, err: expect.stringContaining(told) });
});

let server: PostgresServer | undefined;
beforeAll(async () => {
  if (!missing) server = await startPostgres();
});
afterAll(() => server?.stop());

describe.each(['SQLite', ...(missing ? [] : ['PostgreSQL'])])('beside a bridge with %s', (engine) => {
  let store: Store;
  let links: AccountLinks;
  beforeEach(async () => {
    const address = engine === 'PostgreSQL' ? await server?.database() : undefined;
    const shared = {
      ...{ PARLEY_KEY: 'k'.repeat(40), PLATFORM_BASE_URL: 'http://127.0.0.1:9' },
      ...(address !== undefined && { DATABASE_URL: address }),
    };
    if (address !== undefined) for (const [name, value] of Object.entries(shared)) vi.stubEnv(name, value);
    if (address !== undefined) vi.stubEnv('PARLEY_CONSOLE_ENABLED', 'false');
    const { config } = load(address === undefined ? { PARLEY_DATA: folder } : shared);
    store = await openStorage(config, systemClock, quiet);
    const { state: key } = await openKeys(config);
    const stored = sealKeyed(store.keyed(LINKS), { namespace: LINKS, key, log: quiet });
    const accounts = { ...createAccountTable([]), names: () => true };
    links = createAccountLinks({
      stored,
      accounts,
      days: DAYS,
      clock: systemClock,
      titleOf: (channel) => channel,
      isAccepted: async () => true,
      noteAct: async () => undefined,
    });
  });
  afterEach(() => store.close());

  async function link(tenant: string, account: string): Promise<void> {
    const code = await links.begin(u1, inSlack(tenant));
    await links.show(code, person({ id: account }), inConsole);
    const result = await links.confirm(code, account, person({ id: account }), inConsole);
    expect(result.kind).toBe('linked');
  }

  test('links are listed with their times and way, in text without control characters', async () => {
    const before = Date.now();
    await link('T1', 'ada@p');
    await link('T2', 'gone@p');
    const [, , , ada, gone, ...more] = await listed();
    expect(more).toEqual([]);
    expect(ada).toMatchObject({
      ...{ account: 'ada@p', way: 'link', channel: 'slack', tenant: 'T1', person: 'U1', inForce: true },
      ...{ confirmedIn: 'console', name: 'Ada\u202e in Slack' },
    });
    const since = Date.parse(String(ada?.since));
    expect(since).toBeGreaterThanOrEqual(before);
    expect(Math.abs(Date.parse(String(ada?.until)) - since - DAYS * DAY_MS)).toBeLessThan(60_000);
    expect(gone).toMatchObject({ account: 'gone@p', tenant: 'T2', inForce: false });
    const { out } = await command('list');
    expect(out).toMatch(
      /^ada@p: Ada in Slack \(slack\/T1\/U1\), linked in console since \d{4}-\d\d-\d\d until \d{4}-\d\d-\d\d$/m,
    );
    expect(out).toMatch(/^gone@p: .* \(not in force\)$/m);
  });

  test('unlink ends the link for the running bridge, frees the account, and adds to the audit', async () => {
    await link('T1', 'ada@p');
    await link('T2', 'ben@p');
    expect(await command('unlink', 'slack/T1/U1')).toEqual({
      ...{ code: 0, err: '', out: 'Unlinked Ada in Slack (slack/T1/U1) from the account ada@p.' },
    });
    expect(await links.find(u1, inSlack('T1'))).toBeUndefined();
    expect(await links.find(u1, inSlack('T2'))).toBe('ben@p');
    await link('T1', 'ada@p');
    expect(JSON.parse((await command('unlink', 'slack/U1', '--json')).out)).toHaveLength(2);
    expect(await command('unlink', 'slack/U1')).toMatchObject({
      ...{
        code: 1,
        out: '',
        err: expect.stringContaining('slack/U1 has no link. To change an entry of identity.table'),
      },
    });
    const records = await store.audit.page({ from: 0, to: Date.now() + DAY_MS }, 10);
    expect(records).toEqual(
      ['ada@p', 'ada@p', 'ben@p'].map((account) =>
        expect.objectContaining({
          ...{ action: 'link', outcome: 'done', channel: 'slack', person: 'U1', account },
          detail: 'unlink by operator',
        }),
      ),
    );
  });
});
