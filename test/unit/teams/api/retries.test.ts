/** After which outcomes a read or a message is tried again, and that each permit is given back. */

import { expect, test } from 'vitest';
import { createConnector, type Sent } from '../../../../adapters/teams/api/connector.ts';
import type { Meaning } from '../../../../adapters/teams/api/errors.ts';
import { readWithRetries, sendWithRetries } from '../../../../adapters/teams/api/retries.ts';
import { createPosts } from '../../../../adapters/teams/inbound/posts.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

type Failure = Exclude<Sent, { kind: 'done' }>;
const signal = new AbortController().signal;
const refused = (meaning: Meaning, status = 403, retryAfterMs?: number): Failure => ({
  ...{ kind: 'refused', code: '', meaning, status },
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

/** Number of times that a read and a message are tried, for each meaning of a refusal. */
const tries: Readonly<Record<Meaning, readonly [read: number, message: number]>> = {
  ...{ gone: [1, 1], invalid: [1, 1], 'too-big': [1, 1], stopped: [1, 1], 'not-live': [1, 1] },
  ...{ streamless: [1, 1], dropped: [1, 1], denied: [6, 3], rate: [6, 3], busy: [6, 3], unknown: [6, 1] },
};

test.each<[string, Failure, number, number]>([
  ...(Object.keys(tries) as Meaning[]).map((meaning): [string, Failure, number, number] => [
    meaning,
    refused(meaning),
    ...tries[meaning],
  ]),
  ['denied with 404, as a missing person is', refused('denied', 404), 1, 3],
  ['a rate that Teams ends soon', refused('rate', 429, 15_000), 6, 3],
  ['a rate that lasts too long', refused('rate', 429, 15_001), 1, 1],
  ['an unknown outcome', { kind: 'unknown', reason: 'late' }, 6, 1],
  ['a call that was not sent', { kind: 'unsent', reason: 'ECONNREFUSED' }, 6, 3],
  ['a foreign address', { kind: 'unsent', reason: 'foreign-address' }, 1, 1],
  ['no permit', { kind: 'unsent', reason: 'no-permit' }, 1, 1],
])('%s', async (_, failure, reads, messages) => {
  for (const [repeat, expected] of [
    [readWithRetries<string>, reads],
    [sendWithRetries, messages],
  ] as const) {
    const clock = createVirtualClock();
    let made = 0;
    const call = async () => {
      made += 1;
      return failure;
    };
    const outcome = repeat(call, clock, signal);
    await clock.pass(90_000);
    expect(await outcome).toBe(failure);
    expect(made).toBe(expected);
  }
});

test('a permit is given back also if the adapter stops during the call', async () => {
  const stop = new AbortController();
  const answered: (number | undefined)[] = [];
  const permit = { answered: (refusedMs?: number) => void answered.push(refusedMs) };
  const fail = async () => {
    stop.abort(new Error('stopped'));
    throw stop.signal.reason;
  };
  const clock = createVirtualClock();
  const where = { serviceUrl: 'https://x', conversation: 'a:1' };
  const connector = createConnector(fail, clock, async () => permit);
  await expect(connector.member(where, '29:a', stop.signal)).rejects.toThrow('stopped');
  expect(answered).toHaveLength(1);
  const posts = createPosts({ send: fail, delete: fail }, { permit: async () => permit, clock }, stop.signal);
  const place = { ...where, tenant: 't', kind: 'direct', bot: '28:b' } as const;
  await expect(posts.send(place, {})).rejects.toThrow('stopped');
  await expect(posts.remove(place, '1')).rejects.toThrow('stopped');
  expect(answered).toEqual([undefined, undefined, undefined]);
});
