/** A sentence for one person only, beside the thread. */

import type { Refused } from '../../../src/kit/refusals.ts';
import { BridgeError } from '../../../src/kit.ts';
import { tsOf } from '../ids.ts';
import type { Calls } from './calls.ts';

/** Shown until the person's app is loaded anew; Slack keeps none of it. Rejects with `channel-unavailable`. */
export async function tell({ thread, sender, id }: Refused, words: string, calls: Calls): Promise<void> {
  const told = await calls.call(thread, 'chat.postEphemeral', {
    channel: thread.room,
    user: sender.id,
    text: words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    // A thread that has no answer yet is not open, so that a note inside would not be seen.
    ...(thread.key !== tsOf(id) && { thread_ts: thread.key }),
  });
  if (!told.ok) throw new BridgeError('channel-unavailable', `Slack refused a note: ${told.error}`);
}
