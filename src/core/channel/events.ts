/** What comes in from a channel, and what became of it. */

import type { TurnId } from '../ids.ts';
import type { Message, Origin, Person, ThreadRef, Verdict } from '../message.ts';

/** What a person did that the bridge must act on. */
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
  /** What a person thinks of a version; the newest counts, `none` takes it back. `turn` is the document's. */
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
  /** Nothing was kept; `tellUser` is the sentence to show. */
  | { readonly kind: 'refused'; readonly tellUser: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'nothing-to-stop' }
  /** Done as asked, without a turn: a deletion, feedback. */
  | { readonly kind: 'noted' }
  /** It concerns nothing that the bridge knows: an edit or a deletion of what was never asked, or of a text that stayed. */
  | { readonly kind: 'nothing' };
