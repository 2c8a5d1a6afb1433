/** Reports the events of a reply to subscribers, so that adapters need not wrap the reply's writer. */

import type { ReplyWriter } from '../core/channel/adapter.ts';
import { type Clock, orAborted, within } from '../core/clock.ts';
import { isFinal, type ReplyDocument } from '../core/reply.ts';
import type { Move, Outcome } from '../core/screen.ts';
import type { Turn } from '../core/turn.ts';
import type { Begin } from './markdown/emission/emitter.ts';

/** A message that shows text of a reply. */
export interface ShownMessage {
  readonly id: string;
  /** The position in the document's text at which the message begins. */
  readonly begin: Begin;
  readonly document: ReplyDocument;
}

export interface ReplyEvents {
  /** Posts messages that belong above the answer. The reply's first call waits for these messages, but at most 5 s. */
  before?(turn: Turn, signal: AbortSignal): Promise<void>;
  began?(turn: Turn): void;
  documentChanged?(turn: Turn, document: ReplyDocument): void;
  /** Called once for each message, and once for each further turn that writes text into the message. */
  messageShown?(turn: Turn, message: ShownMessage): void;
  /** Called once the document is final. Only sources that arrive later may still change the document. */
  ended?(turn: Turn): void;
}

export interface TellingWriter extends ReplyWriter {
  /** Returns the message that a move created or changed. Absent if the channel's messages have no ids. */
  shownBy?(move: Move, outcome: Outcome): ShownMessage | undefined;
}

/** Maximum milliseconds that the answer waits for `before`; then it starts anyway. */
const BEFORE_MS = 5_000;

/**
 * Returns a writer that calls the subscribers, in order, for each event. Subscribers must not throw,
 * because their errors would be errors of the writer.
 * @see {@link lineWriter}
 */
export function withEvents(
  turn: Turn,
  writer: TellingWriter,
  subscribers: readonly ReplyEvents[],
  clock: Clock,
): ReplyWriter {
  const messages = new Map<string, string>();
  let last: ReplyDocument | undefined;
  let hasEnded = false;
  let ready: Promise<unknown> | undefined;
  for (const each of subscribers) each.began?.(turn);

  const tellDocument = (document: ReplyDocument): void => {
    last = document;
    for (const each of subscribers) each.documentChanged?.(turn, document);
    if (hasEnded || !isFinal(document)) return;
    hasEnded = true;
    for (const each of subscribers) each.ended?.(turn);
  };
  const tellMessage = (message: ShownMessage): void => {
    const { id, document } = message;
    if (messages.get(id) === document.turn) return;
    messages.set(id, document.turn);
    for (const each of subscribers) each.messageShown?.(turn, message);
  };
  const { shownBy, ...rest } = writer;
  return {
    ...rest,
    next(screen, document, now) {
      if (document !== last) tellDocument(document);
      return writer.next(screen, document, now);
    },
    async perform(move, signal) {
      ready ??= within(Promise.all(subscribers.map((each) => each.before?.(turn, signal))), BEFORE_MS, clock);
      await orAborted(ready, signal);
      const outcome = await writer.perform(move, signal);
      const message = shownBy?.(move, outcome);
      if (message !== undefined) tellMessage(message);
      return outcome;
    },
  };
}
