/** Tests the rules that every combination of the settings `access` and `files` stands for. */

import { expect, it } from 'vitest';
import { rulesOfSettings } from '../../../src/config/shorthand.ts';

const both = [false, true];
const combinations = both.flatMap((guests) =>
  both.flatMap((external) =>
    both.flatMap((bots) =>
      (['off', 'upload'] as const).map((files) => ({ access: { guests, external, bots }, files })),
    ),
  ),
);

it.each(combinations)('%j', ({ access, files }) => {
  const { rules } = rulesOfSettings({ access, files }).set;
  const { guests, external, bots } = access;
  expect(rules.map(({ effect, who }) => [effect, who])).toEqual([
    ['allow', ['member']],
    ['allow', ['unproven']],
    ...(guests ? [['allow', ['guest']]] : []),
    ...(external ? [['allow', ['external']]] : []),
    ...(bots ? [['allow', ['bot']]] : []),
  ]);
  for (const { actions, who } of rules)
    expect(actions).toEqual([
      ...['ask', 'search', 'share', ...(files === 'upload' ? ['save-files'] : [])],
      ...(who[0] === 'member' ? ['make-rooms'] : []),
    ]);
});
