/** Returns the visible messages of a chat or channel. */

import type { Json } from '../read.ts';
import type { Conversation, Message, Tenant } from '../shapes.ts';
import { shownLines } from './lines.ts';

export interface Seen {
  readonly id: string;
  /** The thread's first message, in a channel. */
  readonly root: string;
  /** Name of the author, or `app`. */
  readonly by: string;
  /** The text with the line breaks that people see. */
  readonly text: string;
  readonly cards: readonly Json[];
  readonly entities: readonly Json[];
  /** Titles of the suggested actions. */
  readonly suggested: readonly string[];
  readonly channelData: Json;
  /** State of the stream: `live`, or how it ended; absent without a stream. */
  readonly streaming?: string;
  /** Informative line of a streaming message. */
  readonly informative?: string;
  readonly edited: boolean;
  /** Set if the person sees a sign-in card. */
  readonly signIn?: true;
  /** Name of the only person who sees it. */
  readonly onlyFor?: string;
}

/** Returns the messages that are not deleted, oldest first. */
export function screenOf(tenant: Tenant, { messages }: Conversation): readonly Seen[] {
  return messages.filter(({ deletedAt }) => deletedAt === undefined).map((each) => seen(tenant, each));
}

function seen({ people }: Tenant, message: Message): Seen {
  const { shown, stream, person, onlyFor } = message;
  return {
    id: message.id,
    root: message.root,
    by: person === undefined ? 'app' : (people.get(person)?.name ?? person),
    text: person === undefined ? shownLines(shown.text, shown.textFormat) : shown.text,
    cards: shown.attachments.flatMap((each) =>
      each.contentType === 'application/vnd.microsoft.card.adaptive' ? [each.content as Json] : [],
    ),
    entities: shown.entities,
    suggested: shown.suggested.map(({ title }) => String(title)),
    channelData: shown.channelData,
    ...(stream === undefined ? {} : { streaming: stream.state }),
    ...(stream?.state === 'live' && stream.informative !== undefined
      ? { informative: stream.informative }
      : {}),
    ...(message.signIn === 'shown' ? { signIn: true as const } : {}),
    edited: message.editedAt !== undefined,
    ...(onlyFor === undefined ? {} : { onlyFor: people.get(onlyFor)?.name ?? onlyFor }),
  };
}
