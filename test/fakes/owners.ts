/**
 * Checks the owners of stored values. Forgetting a person deletes a value by its owner, without reading its key. So a
 * value whose key names a person must have this person as its owner.
 */

import type { Keyed, Owner } from '../../src/core/stores/keyed.ts';

/**
 * Ids of people: in Slack, in Teams, in Microsoft Entra (as the fake makes them), and in XMPP, where `parley@` is the
 * account of the bridge.
 */
const PEOPLE = [
  // Random ids contain such letters too, but hardly as a whole word of a key.
  /(?<=^|[ "]|private-)[UW][A-Z0-9]+(?![\w.-])/g,
  /29:[\w-]+/g,
  /(?<![0-9a-f])0{8}-0{4}-4000-8000-[0-9a-f]{12}(?![0-9a-f])/g,
  /(?<![\w.-])(?!parley@)[\w.-]+@(?!rooms?\.|conference\.|thread\.)[\w.-]+/g,
];
/** An id that the bridge gave to its message in XMPP. It names the turn, and tests name a turn after its question. */
const OWN_MESSAGE = /parley\.turn-[^" ]+/g;
/** Values about a thread, which forgetting finds by the turns of the thread. */
const OF_THREADS = /^engaged /;

/** Values whose key names a person who is not their owner, since the test began. */
export const unowned: string[] = [];

/** Returns the state with a check of each stored value. */
export function withOwners(keyed: Keyed): Keyed {
  const check = (key: string, owner: Owner): void => {
    if (OF_THREADS.test(key)) return;
    const { person, tenant } = typeof owner === 'object' && 'tenant' in owner ? owner : {};
    // The ids that XMPP servers make are random and may look like those of Slack.
    const patterns = tenant?.includes('@') ? PEOPLE.slice(1) : PEOPLE;
    const words = key.replaceAll('%3A', ':').replaceAll(OWN_MESSAGE, '');
    const ids = patterns.flatMap((pattern) => words.match(pattern) ?? []);
    const others = ids.filter((id) => id !== person && id !== tenant);
    if (others.length > 0)
      unowned.push(`"${key}" names ${others}, but its owner is ${JSON.stringify(owner)}`);
  };
  return {
    ...keyed,
    set(key, value, ttlMs, owner) {
      check(key, owner);
      return keyed.set(key, value, ttlMs, owner);
    },
    change(key, next, ttlMs, owner) {
      check(key, owner);
      return keyed.change(key, next, ttlMs, owner);
    },
  };
}
