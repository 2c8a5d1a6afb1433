/** What Slack tells of a question, with what the asker chose for themselves. */

import type { AgentCard, Lookup, Message } from '../../../src/kit.ts';
import type { Preferences } from './preferences.ts';
import type { Shown } from './shown.ts';

export interface PersonalParts {
  readonly preferences: Preferences;
  readonly shown: Shown;
  agents(): readonly AgentCard[];
}

export function personalLookup(lookup: Required<Lookup>, parts: PersonalParts): Required<Lookup> {
  return {
    ...lookup,
    async complete(message, signal) {
      // A question that was pressed stands in the thread before its answer does.
      const [completed] = await Promise.all([
        lookup.complete(message, signal),
        parts.shown.wait(message, signal),
      ]);
      return personal(completed, parts);
    },
  };
}

/** Their language everywhere; their agent where nobody else is: in direct messages and in private. */
async function personal(message: Message, { preferences, agents }: PersonalParts): Promise<Message> {
  const { thread, sender } = message;
  const { agent, language } = await preferences.of(thread.tenant, sender.id);
  const known = thread.kind === 'direct' && agents().some(({ name }) => name === agent);
  return {
    ...message,
    ...(language !== undefined && { sender: { ...sender, language } }),
    ...(known && agent !== undefined && { roomAgent: agent }),
  };
}
