/** Tests that the page on rules names every setting, and that its example file does what the page says. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readExpectations } from '../../../src/cli/rules-input.ts';
import { readRules } from '../../../src/config/rules-file.ts';
import { rulesJsonSchema } from '../../../src/config/rules-schema.ts';
import type { Place, RuleAction, Subject } from '../../../src/core/access/rules.ts';

const page = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'parley-rules-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

function settingsOf(schema: unknown, path: string): readonly { path: string; description: string }[] {
  const { properties = {}, items, anyOf = [] } = Object(schema);
  const own = Object.entries<object>(properties).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const { description = '' } = Object(inner);
    return [...(at.endsWith('where') ? [] : [{ path: at, description }]), ...settingsOf(inner, at)];
  });
  const branches: readonly unknown[] = anyOf;
  return [
    ...own,
    ...(items === undefined ? [] : settingsOf(items, `${path}[]`)),
    ...branches.flatMap((each) => settingsOf(each, path)),
  ];
}

test('the page names every setting of the file with its description', () => {
  const settings = settingsOf(rulesJsonSchema(), '');
  expect(settings.length).toBeGreaterThan(8);
  const missing = settings.filter(
    ({ path, description }) =>
      description === '' ||
      !page.split('\n').some((row) => row.startsWith(`| \`${path}\` |`) && row.includes(description)),
  );
  expect(missing).toEqual([]);
});

/** The example file, without the indent of the list that contains it. */
const shown = /```yaml\n( *groups:[\s\S]*?)```/.exec(page)?.[1]?.replace(/^ {3}/gm, '') ?? '';

test('the page quotes the output of parley can for the example file', () => {
  expect(page).toContain(
    'Decided by: rules.yaml:5, { allow: [ask, share], who: group:lawyers, agent: contracts }',
  );
  expect(shown.split('\n')[4]).toBe('  - { allow: [ask, share], who: group:lawyers, agent: contracts }');
});

describe('the example file', () => {
  const file = join(folder, 'rules.yaml');
  writeFileSync(file, shown);
  const { decide } = readRules(file, { agents: ['contracts', 'handbook'], channels: ['slack', 'teams'] });
  const room: Place = { channel: 'slack', tenant: 'T1', room: 'C1', kind: 'room' };
  const member: Subject = { id: 'U1', standing: 'member' };
  const lawyer: Subject = { id: 'U024BE7LH', standing: 'member' };
  const guest: Subject = { id: 'U2', standing: 'guest' };

  test.each<[string, Subject, RuleAction, Place, boolean]>([
    ['a lawyer asks about contracts', lawyer, 'ask', { ...room, agent: 'contracts' }, true],
    [
      'a lawyer of another channel is unknown',
      lawyer,
      'ask',
      { ...room, channel: 'teams', agent: 'contracts' },
      false,
    ],
    [
      'a lawyer by e-mail',
      { ...member, email: 'Ada@example.org' },
      'ask',
      { ...room, agent: 'contracts' },
      true,
    ],
    ['a member asks about contracts', member, 'ask', { ...room, agent: 'contracts' }, false],
    ['a member asks about the handbook', member, 'ask', { ...room, agent: 'handbook' }, true],
    ['a guest asks in a channel', guest, 'ask', { ...room, agent: 'handbook' }, true],
    ['a guest asks in a direct chat', guest, 'ask', { ...room, kind: 'direct', agent: 'handbook' }, false],
    ['a member saves a file', member, 'save-files', room, false],
    ['a member saves a file in the legal room', member, 'save-files', { ...room, room: 'C0LEGAL' }, true],
    ['a member corrects', member, 'correct', { ...room, agent: 'handbook' }, false],
    [
      'an editor corrects',
      { ...member, groups: ['Knowledge editors'] },
      'correct',
      { ...room, agent: 'handbook' },
      true,
    ],
    ['a guest shares', guest, 'share', { ...room, agent: 'handbook' }, false],
  ])('%s', (_, person, action, place, allowed) => {
    expect(decide(person, action, place).allowed).toBe(allowed);
  });
});

test('the expectations of the page hold for the example file', async () => {
  const expected = join(folder, 'tests.yaml');
  writeFileSync(expected, /```yaml\n(expectations:[\s\S]*?)```/.exec(page)?.[1] ?? '');
  const file = join(folder, 'rules.yaml');
  writeFileSync(file, shown);
  const known = { agents: ['contracts', 'handbook'], channels: ['slack', 'teams'] };
  const { decide } = readRules(file, known);
  const expectations = await readExpectations(expected, known);
  expect(expectations).toHaveLength(4);
  for (const { asker, allowed, place } of expectations)
    expect(decide(asker.subject, asker.action, asker.place).allowed, place).toBe(allowed);
});
