/** A sentence for one person only, beside the thread. */

import type { Message } from '../../../src/kit.ts';
import { tsOf } from '../ids.ts';
import type { Reads } from '../receive/reads.ts';
import type { Workspaces } from '../receive/workspace.ts';

export interface NoteParts {
  readonly reads: Reads;
  readonly workspaces: Workspaces;
}

/** Shown until the person's app is loaded anew; Slack keeps none of it. */
export async function tell(
  { thread, sender, id }: Pick<Message, 'thread' | 'sender' | 'id'>,
  words: string,
  { reads, workspaces }: NoteParts,
): Promise<void> {
  const workspace = await workspaces.ofTenant(thread.tenant);
  if (workspace === undefined) return;
  await reads.call(workspace.token, 'chat.postEphemeral', {
    channel: thread.room,
    user: sender.id,
    text: words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    // A thread that has no answer yet is not open, so that a note inside would not be seen.
    ...(thread.key !== tsOf(id) && { thread_ts: thread.key }),
  });
}
