/** Fails each test in which a value was stored whose key names a person who is not its owner. */

import { afterAll, afterEach, expect } from 'vitest';
import { unowned } from './owners.ts';

const check = (): void => expect(unowned.splice(0)).toEqual([]);
afterEach(check);
// A value may be stored in the background, after the last test.
afterAll(check);
