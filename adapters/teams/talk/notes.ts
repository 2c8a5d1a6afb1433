/** A sentence of the bridge's own to the person whose message it is about. */

import type { Clock, Message } from '../../../src/kit.ts';
import type { Connector } from '../api/connector.ts';
import { sendPatiently } from '../api/patience.ts';
import type { Places } from '../receive/places.ts';
import { type Allowance, createAllowance } from './allowance.ts';

/** Far below what Teams takes of a bot in one thread, so that answers have their room beside. */
const WINDOWS = [
  { calls: 1, ms: 1_000 },
  { calls: 10, ms: 30_000 },
];

export interface NoteParts {
  readonly connector: Pick<Connector, 'send'>;
  readonly places: Pick<Places, 'find'>;
  readonly clock: Clock;
  /** Whether Teams shows messages to one person only. */
  readonly targeted: boolean;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

export interface Notes {
  /** Resolves when it was sent, or cannot be. */
  tell(about: Pick<Message, 'thread' | 'sender'>, words: string): Promise<void>;
}

/** Without targeted messages everyone in the thread sees it: there is no other way to answer somebody in Teams. */
export function createNotes({ connector, places, clock, targeted, signal }: NoteParts): Notes {
  const allowance: Allowance = createAllowance(WINDOWS, clock);
  return {
    async tell({ thread, sender }, text) {
      const place = await places.find(thread);
      if (place === undefined) return;
      const { serviceUrl, conversation } = place;
      const isPrivate = targeted && thread.kind !== 'direct';
      await allowance(conversation, signal);
      const activity = {
        ...{ type: 'message', text, textFormat: 'plain' },
        ...(isPrivate && { recipient: { id: sender.id, name: sender.name } }),
      };
      const where = { serviceUrl, conversation, ...(isPrivate && { targeted: true as const }) };
      await sendPatiently(() => connector.send(where, activity, signal), { clock, signal });
    },
  };
}
