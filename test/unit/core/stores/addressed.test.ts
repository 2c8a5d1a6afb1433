/** Tests which messages begin with a person's name, although they mention nobody. */

import { expect, test } from 'vitest';
import { addressedIn } from '../../../../src/core/stores/addressed.ts';

const own = ['parley', 'guide'];

test.each([
  ...['Ben, can you look?', 'Dan: yours', 'Hi Ben, see above', 'thanks Ben, perfect', 'Ben and Dan, look'],
  ...[
    'Jörg, schau mal',
    'Benさん、上の回答',
    '田中さん、お願いします',
    'Борис, посмотри',
    'team, please save',
    'Team, please',
  ],
])('%s', (text) => {
  expect(addressedIn(text, own)).toBe('name');
});

test.each(['@ben see above', ' @ben: look', '@Jörg'])('%s', (text) => {
  expect(addressedIn(text, own)).toBe('typed');
});

test.each([
  ...[
    'Thanks, and in July?',
    'Danke, und im Juli?',
    'Merci, et en juillet ?',
    'Sorry, one more: who?',
    'Hm, and Porto?',
  ],
  ...[
    'Parley, and in July?',
    'Guide: and in July?',
    '@guide and in July?',
    '@Parley, and?',
    'hi parley, and?',
  ],
  ...[
    'and for Ben, too?',
    'In Berlin, what then?',
    'Does Ben, our lead, count?',
    'A4, or A5?',
    '',
    '10:30, or 11:00?',
  ],
  ...['mail ben@acme.example', 'http://a.example, and?', 'また、7月は?', '次に、7月は?'],
])('%s is not for a person', (text) => {
  expect(addressedIn(text, own)).toBeUndefined();
});

test('reads a long text in linear time', () => {
  for (const text of ['A'.repeat(1e6), `@${'a.'.repeat(5e5)}`, 'Hi '.repeat(3e5), 'Ben and '.repeat(1e5)])
    addressedIn(text, own);
  expect(addressedIn(`Ben, ${'x '.repeat(5e5)}`, own)).toBe('name');
});
