/** Tests that the number of tests that the page on attacks gives for each attack is not larger than the real one. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ATTACKS, triesIn, withTries } from '../docs/attack-tries.ts';
import { missing } from '../fakes/xmpp/servers.ts';

// Without these servers, the tests of XMPP do not exist, so they cannot be counted.
const reason = missing('prosody') ?? missing('ejabberd');
/** Milliseconds to list the tests: 8 s on a quiet machine. */
const LIST_MS = 600_000;

test.skipIf(reason !== undefined)(
  'each number of tries is at most the number of tests',
  () => {
    const page = readFileSync(ATTACKS, 'utf8');
    const [stated, counted] = [triesIn(page), triesIn(withTries(page))];
    expect(stated.size).toBeGreaterThan(20);
    // A new test may make a number too small, until `npm run attacks` writes the table again.
    for (const [attack, numbers] of stated)
      for (const [column, tries] of numbers.entries())
        expect(counted.get(attack)?.[column], `${attack}, column ${column + 1}`).toBeGreaterThanOrEqual(
          tries,
        );
  },
  LIST_MS,
);
