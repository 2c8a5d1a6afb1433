/**
 * Message splitting: "Teams splits this activity into two separate activities, one with a text message and the other
 * with an attachment. As the activity is split, you do not receive the message ID in response"
 * (https://learn.microsoft.com/microsoftteams/platform/bots/build-conversational-capability, "Send a message"). If an
 * edit or the first message of a conversation would become several messages, it is refused: "Activity resulted into
 * multiple skype activities" (for example OfficeDev/BotBuilder-MicrosoftTeams issues 125 and 126). The final message of
 * a stream is split too, as in some clients (microsoft/botframework-sdk issue 6366): its card becomes a second message.
 */

import { refuse } from '../refusal.ts';
import { nothing, type Shown } from '../shapes.ts';
import type { Call } from './call.ts';
import { shownOf } from './shown.ts';

/** Returns the messages that one activity becomes. */
export function splitOf({ server, asked }: Call, shown: Shown): readonly Shown[] {
  const { text, attachments } = shown;
  if (server.textBesideCards === 'together') return [shown];
  const side = asked.body.attachmentLayout === 'carousel' ? [attachments] : attachments.map((each) => [each]);
  const cards = side
    .filter((each) => each.length > 0)
    .map((each): Shown => ({ ...nothing, attachments: each }));
  if (text.trim() === '') return cards.length === 1 ? [shown] : cards;
  return cards.length === 0 ? [shown] : [{ ...shown, attachments: [] }, ...cards];
}

export function checkWhole(call: Call): void {
  if (splitOf(call, shownOf(call.asked.body)).length > 1)
    refuse(400, 'BadSyntax', 'Activity resulted into multiple skype activities');
}
