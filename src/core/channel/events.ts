/** Events from a channel, and their results. */

import type { TurnId } from '../ids.ts';
import type { Message, Origin, Person, ThreadRef, Verdict } from '../message.ts';

/** An act of a person that the bridge handles. */
export type Intake =
  | { readonly kind: 'ask'; readonly origin: Origin; readonly message: Message }
  /** Ends the thread's running turn, or the named one. Never queues. */
  | { readonly kind: 'stop'; readonly thread: ThreadRef; readonly turn?: TurnId; readonly by: Person }
  /**
   * A question was written anew: `message` has the same id and a higher revision. It supersedes what was asked
   * before, in the same reply. `fresh`: asked also where no earlier revision was, because the edit put the mention in.
   */
  | { readonly kind: 'edit'; readonly message: Message; readonly fresh?: boolean }
  /** The question with this message id was deleted: its replies are taken away. */
  | { readonly kind: 'delete'; readonly thread: ThreadRef; readonly message: string; readonly by?: Person }
  /** Another version of a reply of the thread is to be shown; `key` is the channel's unique id of the press. */
  | {
      readonly kind: 'show';
      readonly thread: ThreadRef;
      readonly turn: TurnId;
      readonly edition: number;
      readonly by: Person;
      readonly key: string;
    }
  /** A person's rating of a version; the newest counts, `none` withdraws it. `turn` is the document's. */
  | {
      readonly kind: 'feedback';
      readonly thread: ThreadRef;
      readonly turn: TurnId;
      readonly by: Person;
      readonly verdict: Verdict;
      readonly note?: string;
    };

export type IntakeResult =
  | { readonly kind: 'kept'; readonly turn: TurnId; readonly ahead: number }
  | { readonly kind: 'duplicate'; readonly turn: TurnId }
  /** The event was not stored; `tellUser` is the sentence to show. */
  | { readonly kind: 'refused'; readonly tellUser: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'nothing-to-stop' }
  /** Done as asked, without a turn: a deletion, feedback. */
  | { readonly kind: 'noted' }
  /**
   * It concerns nothing that the bridge knows: an edit or a deletion of what was never asked, or of a text that stayed.
   */
  | { readonly kind: 'nothing' };
