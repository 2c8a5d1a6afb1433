/**
 * Links that people make themselves between their id in a channel and a platform account: with a one-time code, or by
 * signing in to the channel's chat platform.
 */

import type { Person, ThreadRef } from '../message.ts';

/** The person who asked for a code. */
export interface Claimant {
  readonly channel: string;
  readonly tenant: string;
  readonly person: string;
  /** The name that the channel shows for the person. */
  readonly name: string;
  /** Display name of the channel, such as `Slack`. */
  readonly title: string;
}

/**
 * The result for a code that a person shows or confirms. `wrong` means one of these: the code never existed, has
 * expired, was used, or was shown by another person first. They are one result, so that a guess reveals nothing.
 */
export type CodeResult =
  | { readonly kind: 'shown' | 'linked'; readonly claimant: Claimant }
  | { readonly kind: 'wrong' }
  /** The person has tried too many wrong codes. */
  | { readonly kind: 'blocked' }
  /**
   * The code was issued in this same workspace. Each person has only one id there, so the code belongs to another
   * person.
   */
  | { readonly kind: 'same-workspace' }
  /** The account is already linked to another person in the claimant's workspace. */
  | { readonly kind: 'taken' };

/**
 * The answer to a code that a person shows or confirms. `claimant`: who asked for the code. `account`: the account that
 * is or will be linked to the claimant.
 */
export type CodeAnswer =
  | {
      readonly kind: 'shown' | 'linked';
      readonly claimant: Claimant;
      readonly account: string;
      /** Time for which the link lasts, in days. */
      readonly days: number;
    }
  /** `text` is a sentence for the person. */
  | { readonly kind: 'refused'; readonly text: string };

/** Links that a person confirms on a page of a channel, after signing in there. */
export interface LinkPages {
  /** Reserves the code in the page's address for the person, who alone may confirm it. */
  show(token: string, by: Person, thread: ThreadRef): Promise<CodeAnswer>;
  /** Links the claimant to the person's account. Must be called after `show`. */
  confirm(token: string, by: Person, thread: ThreadRef): Promise<CodeAnswer>;
}

/** One attempt of a person to prove who they are by signing in. Its values are random. */
export interface ProofAttempt {
  /** Comes back with the browser, and shows that the same browser began the sign-in. */
  readonly state: string;
  /** Part of the signed proof, so that the proof works for this attempt only. */
  readonly nonce: string;
}

/** A person whose identity the chat platform has confirmed. */
export interface ProvenPerson {
  readonly person: Person;
  /** The workspace in which the person signed in. */
  readonly tenant: string;
}

/** The query with which a browser came back from the chat platform's sign-in. */
export interface ReturnedProof {
  readonly channel: string;
  /** Before `finish`, the caller must compare the `state` in this query with the `state` of the attempt. */
  readonly query: string;
  readonly nonce: string;
}

/** Links that a signed-in person makes by signing in to another chat platform as well. */
export interface LinkProofs {
  /** Returns the channels in which this person can connect an id, with their display names. */
  offers(by: Person, thread: ThreadRef): readonly { readonly channel: string; readonly title: string }[];
  /** Returns the address of the chat platform's sign-in; undefined if the channel offers none. */
  begin(channel: string, attempt: ProofAttempt): string | undefined;
  /** Links the person whom the proof identifies to the platform account of the person `by`. */
  finish(proof: ReturnedProof, by: Person, thread: ThreadRef): Promise<CodeAnswer>;
}

export interface AccountLinks {
  /** Time for which a link lasts, in days. */
  readonly days: number;
  /**
   * Resolves with the linked account of a person, if the operator's accounts still contain it. Ends the link if the
   * identity provider no longer accepts the person who confirmed it.
   */
  find(person: Person, thread: ThreadRef): Promise<string | undefined>;
  /** Resolves with a new code for the person. Their earlier codes no longer work. */
  begin(person: Person, thread: ThreadRef): Promise<string>;
  /** Returns the address of the page on which the code can be confirmed; undefined if no channel has such a page. */
  pageOf(code: string): string | undefined;
  /** Reserves the code for the first person who enters it. Only this person can then confirm the code. */
  show(code: string, by: Person, thread: ThreadRef): Promise<CodeResult>;
  /** Links the claimant to the account, and uses up the code. The same person must have called `show` before. */
  confirm(code: string, account: string, by: Person, thread: ThreadRef): Promise<CodeResult>;
  /** Links the person who proved their identity to the account, whose owner `by` has confirmed this in `thread`. */
  linkProven(
    proven: Omit<Claimant, 'title'>,
    account: string,
    by: Person,
    thread: ThreadRef,
  ): Promise<CodeResult>;
  /** Resolves to true if the person had a link. */
  unlink(person: Person, thread: ThreadRef): Promise<boolean>;
}
