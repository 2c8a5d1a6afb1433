/** Ends the claim of a turn whose platform is down, so that its question is asked later. */

import type { TurnContext } from '../answer/turn-context.ts';
import { within } from '../clock.ts';
import { keep } from '../live-reply/compose.ts';
import type { Interruption } from '../turn.ts';
import { words } from '../words.ts';

/** Maximum time for showing that the question is kept, in milliseconds. */
const NOTICE_MS = 30_000;

/**
 * Shows that the question is kept, then puts the turn back to waiting. The turn is not claimed before it is resumed.
 */
export async function postpone(
  context: TurnContext,
  { agent, asked }: Extract<Interruption, { kind: 'postponed' }>,
): Promise<void> {
  const { claim, liveReply, deps } = context;
  liveReply.update(keep);
  const isVisible = await within(liveReply.upToDate(), NOTICE_MS, deps.clock);
  await liveReply.detach();
  await liveReply.recorder.recordRest();
  await deps.inbox.postpone(claim, { agent, asked });
  liveReply.emit('postponed', { asked });
  if (isVisible === false) await tellApart(context);
}

/**
 * Tells the asker in a separate message that the question is kept. For channels that show a private reply only when the
 * reply is complete.
 */
async function tellApart({ claim: { turn }, deps, liveReply }: TurnContext): Promise<void> {
  if (turn.postponed !== undefined) return;
  const { waiting } = deps.adapter(turn.message.thread.channel).abilities;
  await waiting?.say(turn, 0, words.platformDown).catch((error: unknown) => {
    liveReply.emit('trouble', { what: 'notice', cause: String(error) });
  });
}
