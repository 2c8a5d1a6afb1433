/** A room that takes nothing of ours: nothing is shown there, the operator reads of it, and who asked is told directly. */

import type { Background } from '../../../src/kit/background.ts';
import type { Log, Turn } from '../../../src/kit.ts';
import type { Sender } from '../api/sender.ts';
import { UNFURLED } from './deps.ts';

export interface ClosedRoomsDeps {
  readonly sender: Sender;
  readonly background: Background;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Opens the direct message where Slack lets it; where it does not, there is nothing more to do. */
export function createClosedRooms({ sender, background, log, signal }: ClosedRoomsDeps) {
  return ({ id: turn, message: { thread, sender: asker } }: Turn, error: string): void => {
    const { tenant, room } = thread;
    log.warn({ turn, tenant, room, error }, 'Slack takes no answer in this room any more');
    if (thread.kind === 'direct') return;
    const text = `I could not show the answer to your question in <#${room}>: I may not write there any more.`;
    const args = { channel: asker.id, text, ...UNFURLED };
    background.run('a word on a closed room', () => sender.call(tenant, 'chat.postMessage', args, signal));
  };
}
