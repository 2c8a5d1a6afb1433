/** Finds out which senders are programs (XEP-0030), so that two programs do not answer each other for ever. */

import { LRUCache } from 'lru-cache';
import { NS } from '../protocol.ts';
import type { Connection } from '../stream/connection.ts';
import { childOf, childrenOf, element } from '../stream/xml.ts';

/** Maximum number of senders in memory, and the time after which a sender is asked again, in milliseconds. */
const KNOWN = 10_000;
const KNOWN_MS = 60 * 60_000;

export type Programs = ReturnType<typeof createPrograms>;

export function createPrograms(connection: () => Connection, signal: AbortSignal) {
  const known = new LRUCache<string, { isProgram: boolean }>({ max: KNOWN, ttl: KNOWN_MS });
  return {
    /** Asks a sender's client in the background what it is. Most clients answer within a second; some never do. */
    ask(from: string) {
      if (known.has(from) || !connection().isOnline()) return;
      const found = { isProgram: false };
      known.set(from, found);
      connection()
        .request('get', from, element('query', NS.discoInfo), signal)
        .then((answer) => {
          const query = childOf(answer, 'query', NS.discoInfo);
          const identities = query === undefined ? [] : childrenOf(query, 'identity', NS.discoInfo);
          found.isProgram = identities.some(
            ({ attrs }) => attrs.category === 'client' && attrs.type === 'bot',
          );
        })
        .catch(() => undefined);
    },
    /** True if the sender's client has said that it is a program. */
    has: (from: string) => known.get(from)?.isProgram === true,
  };
}
