/** Tells a person that their question waits, beside the thread and to them alone. */

import type { Turn } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import type { SurfaceDeps } from './deps.ts';
import { tell } from './tell.ts';
import { words } from './words.ts';

export async function sayWaiting(
  { message }: Turn,
  { ahead, workspace, deps }: { ahead: number; workspace: Workspace; deps: SurfaceDeps },
): Promise<void> {
  const { thread, sender, id } = message;
  const place = isPrivate(thread) ? await deps.places.find(thread) : undefined;
  const responseUrl = place?.responseUrl;
  const by = { user: sender.id, ...(responseUrl !== undefined && { responseUrl }) };
  // A thread that has no answer yet is not open, so that a note inside would not be seen.
  const threadTs = isPrivate(thread) ? place?.threadTs : thread.key === tsOf(id) ? undefined : thread.key;
  const where = threadTs === undefined ? {} : { threadTs };
  await tell({ by, workspace, deps, conversation: thread.room, ...where }, words.waiting(ahead));
}
