import { expect, test } from 'vitest';
import { disguise, lookAlikes } from '../../../../src/core/access/look-alikes.ts';

test.each([
  ['legal', 'lega1'],
  ['legal', 'lеgаl'],
  ['admin', 'adrnin'],
  ['Admins', 'admins'],
  ['finance', 'ﬁnance'],
  ['team-one', 'team_one'],
  ['legal', 'le\u200Bgal'],
  ['cafe', 'café'],
  ['sοc', 'soc'],
])('%s looks like %s', (one, other) => {
  expect([...lookAlikes([one, other])]).toEqual([[other, one]]);
});

test('names that people can tell apart do not look alike', () => {
  expect(lookAlikes(['legal', 'sales', 'team-1', 'team-2', '法務', '営業', 'legal']).size).toBe(0);
});

test('invisible characters and mixed scripts are found', () => {
  expect(disguise('le\u200Dgal')).toMatch(/cannot be seen/);
  expect(disguise('lеgal')).toMatch(/several scripts/);
  expect(disguise('Юристы')).toBeUndefined();
  expect(disguise('Отдел Legal')).toBeUndefined();
  expect(disguise('法務 Team')).toBeUndefined();
});
