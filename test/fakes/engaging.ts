/** Notes questions in the state of a channel as the bridge does, for tests of a channel without a bridge. */

import { noteAsked } from '../../src/core/intake/keeping.ts';
import { createEngagement, type IntakeResult, type Keyed } from '../../src/kit/ladder.ts';
import type { Intake, ThreadRef } from '../../src/kit.ts';

export function createEngaging(state: Pick<Keyed, 'get' | 'change'>) {
  const engagement = createEngagement(state);
  return {
    /** Notes the question if the bridge took it. Resolves with the result. */
    async noted(event: Intake, result: IntakeResult): Promise<IntakeResult> {
      if (event.kind !== 'ask' || (result.kind !== 'kept' && result.kind !== 'duplicate')) return result;
      await noteAsked(event, { engagement: () => engagement, mayAsk: () => true });
      return result;
    },
    answered: (thread: ThreadRef) => engagement.answered(thread),
  };
}
