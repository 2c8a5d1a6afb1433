/** Notes questions in the state of a channel as the bridge does, for tests of a channel without a bridge. */

import {
  createEngagement,
  type Intake,
  type IntakeResult,
  type Keyed,
  type ThreadRef,
} from '../../src/kit.ts';

export function createEngaging(state: Pick<Keyed, 'get' | 'change'>) {
  const engagement = createEngagement(state);
  return {
    /** Notes the question if the bridge took it. Resolves with the result. */
    async noted(event: Intake, result: IntakeResult): Promise<IntakeResult> {
      if (event.kind !== 'ask' || (result.kind !== 'kept' && result.kind !== 'duplicate')) return result;
      const { thread, sender, sentAt } = event.message;
      const at = event.origin.kind === 'message' ? { at: sentAt } : {};
      await engagement.asked(thread, { by: sender.id, ...at });
      return result;
    },
    answered: (thread: ThreadRef) => engagement.answered(thread),
  };
}
