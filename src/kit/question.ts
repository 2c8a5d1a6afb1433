/** Makes a question out of what a simple chat knows about a message. */

import { systemClock } from '../clock.ts';
import type { Intake } from '../core/channel/events.ts';
import type { Message } from '../core/message.ts';

type Given = Pick<Message, 'id' | 'thread' | 'sender' | 'text'> & Partial<Message>;
type Question = Extract<Intake, { kind: 'ask' }>;

/**
 * Returns the event with which a channel passes a message to `host.intake`. The message has no quotes and no files, was
 * never edited, and was sent now, unless the argument says otherwise. `id` must be unique in the chat: a second event
 * with the same id and revision counts as a repetition.
 * @example
 * ```ts
 * await host.intake(question({ id: 'm1', thread, sender: person, text: 'How long is a pass valid?' }));
 * ```
 */
export function question({ quoted = [], files = [], revision = 0, ...given }: Given): Question {
  const { sentAt = systemClock.now() } = given;
  const message = { ...given, quoted, files, revision, sentAt };
  return { kind: 'ask', origin: { kind: 'message', key: message.id, revision }, message };
}
