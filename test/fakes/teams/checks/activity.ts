/** What an activity of the app must be like. */

import type { Call } from '../connector/call.ts';
import { badRequest } from '../refusal.ts';
import type { Conversation } from '../shapes.ts';

export function checkActivity({ asked }: Call, conversation: Conversation): void {
  const { type } = asked.body;
  if (type !== 'message' && type !== 'typing')
    badRequest(`Activities of type ${String(type)} cannot be sent`);
  void conversation;
}
