import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openKeys } from '../../../src/bridge/keys.ts';
import { run } from '../../../src/cli/program.ts';
import { systemClock } from '../../../src/clock.ts';
import { turnId } from '../../../src/core/ids.ts';
import type { Person, ThreadRef } from '../../../src/core/message.ts';
import { laneOf } from '../../../src/core/message.ts';
import { createPeopleNames, NAMES, nameKey } from '../../../src/core/stores/people-names.ts';
import { openStore, sealKeyed } from '../../../src/store/index.ts';
import { house } from '../../fakes/house.ts';
import { quiet } from '../../fakes/quiet.ts';
import { message, person, thread } from '../../fakes/samples.ts';

const RULES = `groups:
  lawyers: [ada@example.org, person:slack/U1, "claim:Legal"]
rules:
  - { allow: [ask, share], who: group:lawyers, agent: contracts }
  - { deny: ask, agent: contracts }
  - { allow: [ask, search], who: member }
quotas:
  - { per: person, questions: 100, every: day }
`;
const agent = '{ interface: lite-key, credential: { kind: api-key, key: k } }';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-cli-rules-'));
  write('rules.yaml', RULES);
  write(
    'parley.yaml',
    `platform: { baseUrl: 'https://platform.example.org' }\nagents: { books: ${agent}, contracts: ${agent} }\nrules: ${folder}/rules.yaml\n`,
  );
  vi.stubEnv('PARLEY_DATA', folder);
  vi.stubEnv('PARLEY_CONFIG', join(folder, 'parley.yaml'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** Runs a command. Returns its exit code and what it printed, without the test's folder. */
async function printed(...args: string[]): Promise<{ exit: number; text: string }> {
  const lines = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => spy.mockReturnValue());
  const exit = await run(args, house);
  const text = lines.flatMap((spy) => spy.mock.calls.flat()).join('\n');
  vi.restoreAllMocks();
  return { exit, text: text.replaceAll(`${folder}/`, '') };
}

describe('can', () => {
  it('says which rule decides, and which limits apply', async () => {
    expect(await printed('can', 'ada@example.org', 'contracts', 'slack/C0LEGAL', '--explain')).toEqual({
      exit: 0,
      text: [
        'Yes: ada@example.org may ask contracts in slack/C0LEGAL.',
        '  Decided by: rules.yaml:4, { allow: [ask, share], who: group:lawyers, agent: contracts }',
        '  Assumed: the person has the standing "member", writes in a channel, and belongs to lawyers',
        '  Limit: 100 questions per day for each person (rules.yaml:8)',
      ].join('\n'),
    });
  });

  it.each([
    [
      ['U2', 'contracts', 'slack/C1'],
      1,
      /^No: U2 may not ask contracts in slack\/C1\.\n {2}Decided by: rules\.yaml:5/,
    ],
    [['person:slack/U1', 'contracts', 'slack/T1/C1'], 0, /^Yes: .* in slack\/T1\/C1\./],
    [['U1', 'contracts', 'teams/C1'], 1, /rules\.yaml:5/],
    [['U2', 'contracts', 'slack/C1', '--group', 'Legal'], 0, /rules\.yaml:4/],
    [['U2', 'contracts', 'slack/C1', '--email', 'Ada@Example.org'], 0, /rules\.yaml:4/],
    [
      ['U2', 'books', 'slack/C1', '--standing', 'guest'],
      1,
      /Decided by: no rule, because none matches\. Without a matching rule, the action is not allowed/,
    ],
    [['U2', 'books', 'slack/C1', '--action', 'search'], 0, /may search in slack/],
    [['U2', 'books', 'slack/C1', '--action', 'correct'], 1, /may not correct books/],
  ])('%j exits with %i', async (args, exit, text) => {
    const found = await printed('can', ...args, '--explain');
    expect(found).toEqual({ exit, text: expect.stringMatching(text) });
  });

  it.each([
    [['U2', 'boks', 'slack/C1'], /There is no agent "boks"\. Known: books, contracts/],
    [['U2', 'books', 'slack/T1/C1/x'], /is not a room\. Write CHANNEL\/ROOM/],
    [['U2', 'books', 'general'], /There is no channel "general"\. Known: .*slack.*, terminal/],
    [['person:slack/U2', 'books', 'teams/C1'], /is a person of slack, but the room is in teams/],
    [['U2', 'books', 'slack/C1', '--kind', 'cave'], /There is no kind "cave"\. Known: direct, group, room/],
  ])('%j is refused', async (args, text) => {
    expect(await printed('can', ...args)).toEqual({ exit: 64, text: expect.stringMatching(text) });
  });

  it('prints the decision as JSON', async () => {
    const { text } = await printed('can', 'U1', 'contracts', 'slack/C1', '--json');
    expect(JSON.parse(text)).toMatchObject({
      ...{ allowed: true, action: 'ask', person: 'U1', channel: 'slack', room: 'C1', agent: 'contracts' },
      ...{ groups: ['lawyers'], rule: { place: 'rules.yaml:4' }, limits: [{ questions: 100 }] },
    });
  });
});

describe('rules test', () => {
  const expectations = (...lines: readonly string[]) =>
    write('tests.yaml', `expectations:\n${lines.map((line) => `  - ${line}\n`).join('')}`);
  const test = () => printed('rules', 'test', join(folder, 'tests.yaml'));

  it('passes if all expectations hold', async () => {
    expectations(
      '{ expect: allow, person: ada@example.org, agent: contracts, room: slack/C1 }',
      '{ expect: deny, person: U2, agent: contracts, room: slack/C1 }',
      '{ expect: deny, person: U2, standing: guest, agent: books, room: slack/C1, kind: direct }',
      '{ expect: allow, person: U2, action: search, room: slack/C1 }',
      '{ expect: allow, person: U2, groups: [Legal], agent: contracts, room: slack/C1 }',
    );
    expect(await test()).toEqual({ exit: 0, text: 'All 5 expectations hold.' });
  });

  it('names each failure with its line, and the rule that decides', async () => {
    expectations(
      '{ expect: allow, person: U1, agent: contracts, room: slack/C1 }',
      '{ expect: allow, person: U2, agent: contracts, room: slack/C1 }',
      '{ expect: deny, person: U2, agent: books, room: slack/C1 }',
    );
    expect(await test()).toEqual({
      exit: 1,
      text: [
        'tests.yaml:3: U2 should be allowed to ask contracts, but rules.yaml:5 decides: { deny: ask, who: everyone, agent: contracts }.',
        'tests.yaml:4: U2 should not be allowed to ask books, but rules.yaml:6 decides: { allow: [ask, search], who: member }.',
        '2 of 3 expectations fail.',
      ].join('\n'),
    });
  });

  it.each([
    ['{ expect: maybe, person: U1, room: slack/C1 }', /tests\.yaml:2: expect /],
    ['{ expect: allow, person: U1, agent: boks, room: slack/C1 }', /tests\.yaml:2: agent names "boks"/],
    ['{ expect: allow, person: U1, agent: books, room: slack }\n  - 5', /tests\.yaml:3:/],
    [
      '{ expect: allow, person: U1, agent: books, room: slak/C1 }',
      /tests\.yaml:2: There is no channel "slak"/,
    ],
  ])('refuses %s', async (line, text) => {
    expectations(line);
    expect(await test()).toEqual({ exit: 78, text: expect.stringMatching(text) });
  });
});

describe('rules diff', () => {
  async function asked(...askers: readonly [Person, Partial<ThreadRef>][]) {
    const store = await openStore({ file: join(folder, 'parley.sqlite'), clock: systemClock, log: quiet });
    for (const [at, [sender, place]] of askers.entries()) {
      const where = thread({ channel: 'slack', key: `t${at}`, ...place });
      const said = message({ id: `m${at}`, thread: where, sender });
      await store.inbox.add({
        ...{ id: turnId(`turn ${at}`), originKey: `origin ${at}`, message: said, lane: laneOf(where) },
        origin: { kind: 'message', key: said.id, revision: 0 },
      });
    }
    await store.close();
  }
  const ada = person({ id: 'U7', name: 'Ada' });
  const guest = person({ id: 'U8', name: 'Gus', standing: 'guest' });
  const diff = (...more: string[]) =>
    printed('rules', 'diff', join(folder, 'rules.yaml'), join(folder, 'newer.yaml'), ...more);

  it('shows whom a change affects, from recent questions', async () => {
    await asked([ada, { room: 'C1' }], [ada, { room: 'C1' }], [ada, { room: 'C2' }], [guest, { room: 'C1' }]);
    write('newer.yaml', 'rules:\n  - { allow: [ask, search], who: [member, guest], where: { room: C1 } }\n');
    const { exit, text } = await diff();
    expect(exit).toBe(0);
    expect(text.split('\n')).toEqual([
      '4 changes for 2 people who asked the last 4 questions:',
      expect.stringMatching(/^ {2}Gus \(U8\) in slack\/C1: ask books becomes allowed; 1 recent questions$/),
      expect.stringMatching(/^ {2}Gus \(U8\) in slack\/C1: search becomes allowed;/),
      expect.stringMatching(/^ {2}Ada \(U7\) in slack\/C2: ask books becomes refused;/),
      expect.stringMatching(/^ {2}Ada \(U7\) in slack\/C2: search becomes refused;/),
    ]);
    const changes: unknown = JSON.parse((await diff('--json')).text);
    expect(changes).toContainEqual(
      expect.objectContaining({ person: 'U7', room: 'C2', action: 'ask', becomes: 'refused' }),
    );
  });

  it('shows the name that the bridge learned for a person, or only the id', async () => {
    await asked(
      [person({ id: 'U9', name: 'U9' }), { room: 'C1' }],
      [person({ id: 'U10', name: '' }), { room: 'C1' }],
    );
    const store = await openStore({ file: join(folder, 'parley.sqlite'), clock: systemClock, log: quiet });
    const { state: key } = await openKeys({ key: undefined, database: undefined, data: folder });
    const stored = sealKeyed(store.keyed(NAMES), { namespace: NAMES, key, log: quiet });
    const names = createPeopleNames(stored, systemClock);
    const where = thread({ channel: 'slack' });
    await names.note({ id: 'U9', name: 'Nina' }, where);
    await names.note({ id: 'U10', name: 'Other workspace' }, { ...where, tenant: 'T9' });
    write('newer.yaml', 'rules:\n  - { allow: [search], who: everyone }\n');
    const { text } = await diff();
    expect(text).toMatch(/^ {2}Nina \(U9\) in slack\/C1: ask books becomes refused;/m);
    expect(text).toMatch(/^ {2}U10 in slack\/C1: ask books becomes refused;/m);
    expect(JSON.stringify(await store.keyed(NAMES).get(nameKey(where, 'U9')))).not.toContain('Nina');
    await store.forgetting.erase({ kind: 'person', channel: 'slack', person: 'U9' });
    expect(await store.keyedRows.list(NAMES, '')).toHaveLength(1);
    await store.close();
  });

  it('says that nothing changes, and refuses a faulty file', async () => {
    write('newer.yaml', RULES);
    expect((await diff()).text).toBe('Nothing changes for the people who asked the last 0 questions.');
    write('newer.yaml', 'rules:\n  - { allow: ask, agent: boks }\n');
    expect(await diff()).toEqual({ exit: 78, text: expect.stringContaining('newer.yaml:2:19') });
  });
});

describe('rules reload', () => {
  const { digest } = { digest: 'none' };

  it('refuses a faulty file', async () => {
    write('rules.yaml', 'rules:\n  - { allow: aks }\n');
    expect(await printed('rules', 'reload')).toEqual({
      exit: 78,
      text: expect.stringContaining('rules.yaml:2:7'),
    });
  });

  it('says that no bridge runs, and does not trust the record of one that ended', async () => {
    vi.spyOn(systemClock, 'now').mockImplementation(
      (
        (now) => () =>
          (now += 1_000)
      )(0),
    );
    write('rules-in-force.json', JSON.stringify({ digest, process: 2 ** 22 + 1 }));
    expect(await printed('rules', 'reload')).toEqual({
      exit: 69,
      text: expect.stringContaining(
        'rules.yaml is valid (3 rules), but no running bridge with the data folder',
      ),
    });
  });

  it('needs a rules file', async () => {
    write(
      'parley.yaml',
      `platform: { baseUrl: 'https://platform.example.org' }\nagents: { books: ${agent} }\n`,
    );
    expect(await printed('rules', 'reload')).toEqual({
      exit: 78,
      text: expect.stringContaining('No rules file is configured'),
    });
  });
});
