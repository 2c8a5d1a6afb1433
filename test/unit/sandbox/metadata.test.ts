import { expect, it } from 'vitest';
import { checkMetadata } from '../../../sandbox/workspaces/settings.ts';

const city = (more: object) => JSON.stringify([{ name: 'City', type: 1, limit: '["Oslo", 7]', ...more }]);

it('warns only of a value that is none of its options (WSP-10)', () => {
  for (const value of ['Oslo', 7, '7', '', undefined, null]) {
    expect(checkMetadata(city({ value }))).toEqual({ text: city({ value }), warnings: [] });
  }
  expect(checkMetadata(city({ value: 'Bergen' })).warnings).toEqual([
    'The value of the metadata City is not one of its options.',
  ]);
  expect(checkMetadata(city({ type: 0, value: 'Bergen' })).warnings).toEqual([]);
});
