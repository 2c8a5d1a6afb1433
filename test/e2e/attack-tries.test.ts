/** Tests that the page on attacks counts the tests of each attack. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ATTACKS, withTries } from '../docs/attack-tries.ts';
import { missing } from '../fakes/xmpp/servers.ts';

// Without these servers, the tests of XMPP do not exist, so they cannot be counted.
const reason = missing('prosody') ?? missing('ejabberd');

test.skipIf(reason !== undefined)('the table of tries is up to date; `npm run attacks` writes it', () => {
  const page = readFileSync(ATTACKS, 'utf8');
  expect(page).toMatch(/^\| attack S25 \|/m);
  expect(withTries(page)).toBe(page);
});
