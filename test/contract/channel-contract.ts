/** Runs the laws of every writer (src/conform/laws.ts) as tests, with random stories by fast-check. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { keep, laws } from '../../src/conform/laws.ts';
import type { OpenChannel } from '../../src/conform/play.ts';
import type { Change, PlannedOutcome, Story } from '../../src/conform/story.ts';
import type { ReplyState } from '../../src/core/reply.ts';

/** A started adapter, connected to a server or a fake that reports what people see. */
export interface TestedChannel extends OpenChannel {
  close(): Promise<void>;
}

const RUNS = 30;

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('append' as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewrite' as const), at: fc.nat(40), text }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'step' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'nothing' as const }) },
);
const outcome = fc.oneof(
  { weight: 4, arbitrary: fc.constant<PlannedOutcome>('done') },
  { weight: 2, arbitrary: fc.constantFrom<PlannedOutcome>('hidden', 'lost', 'rate', 'busy', 'takeover') },
);
const story: fc.Arbitrary<Story> = fc.record({
  steps: fc.array(fc.record({ change, outcome }), { maxLength: 25 }),
  ending: fc.constantFrom<ReplyState>('done', 'partial', 'stopped', 'failed'),
});

/**
 * Defines the tests that every channel's writer must pass. The tests of each adapter call this function.
 * @param numRuns number of random stories per test; fewer for a channel whose calls go through a server
 */
export function channelContract(name: string, open: () => Promise<TestedChannel>, numRuns = RUNS): void {
  describe(`${name} keeps the channel contract`, () => {
    let channel: TestedChannel;
    beforeAll(async () => {
      channel = await open();
    });
    afterAll(() => channel.close());

    it.each(laws)('$proves', (law) =>
      fc.assert(
        fc.asyncProperty(story, (one) => keep(law, channel, one)),
        { numRuns: law.random ? numRuns : 1 },
      ));
  });
}
