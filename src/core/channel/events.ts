/** Events that a channel passes to the bridge, and their results. */

import type { TurnId } from '../ids.ts';
import type { Message, Origin, Person, ThreadRef, Verdict } from '../message.ts';

/** A person's action that the bridge handles. */
export type Intake =
  | { readonly kind: 'ask'; readonly origin: Origin; readonly message: Message }
  /**
   * Stops the turn `turn`; if absent, the running turn of the thread. Handled at once, without waiting in the
   * thread's lane. `streams`: ids of the messages whose streams the person stopped, if the channel names them.
   */
  | {
      readonly kind: 'stop';
      readonly thread: ThreadRef;
      readonly turn?: TurnId;
      readonly streams?: readonly string[];
      readonly by: Person;
    }
  /**
   * Stops the running turn of the thread, so that the waiting turn `turn` is asked next. Only the person who asked the
   * waiting question may do this. Handled at once, in one transaction.
   */
  | { readonly kind: 'instead'; readonly thread: ThreadRef; readonly turn: TurnId; readonly by: Person }
  /**
   * The question was edited: `message` has the same id and a higher revision. It replaces the earlier revision in the
   * same reply. `fresh`: also ask if no earlier revision was asked. This happens if the edit added the mention of the
   * bridge, or arrived before the question.
   */
  | { readonly kind: 'edit'; readonly message: Message; readonly fresh?: boolean }
  /** The question with this message id was deleted, so its replies are removed. */
  | { readonly kind: 'delete'; readonly thread: ThreadRef; readonly message: string; readonly by?: Person }
  /** Shows another version of a reply. `key` is the channel's unique id of the press. */
  | {
      readonly kind: 'show';
      readonly thread: ThreadRef;
      readonly turn: TurnId;
      /** Number of the version, counted from 1. */
      readonly edition: number;
      readonly by: Person;
      readonly key: string;
    }
  /**
   * A person's rating of a version. A newer rating replaces it; `none` withdraws it. `turn` is the turn that wrote
   * the version.
   */
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
  /** The event was handled and created no turn: a deletion or a rating. */
  | { readonly kind: 'noted' }
  /** The event changed nothing: it concerns a message that was never asked, or the edit left the question unchanged. */
  | { readonly kind: 'nothing' };
