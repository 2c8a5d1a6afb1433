/** Links that people make themselves, with a one-time code, between their id in a channel and a platform account. */

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
  /** Too many wrong codes. */
  | { readonly kind: 'blocked' }
  /** The code comes from the same workspace, in which each person has only one id. */
  | { readonly kind: 'same-workspace' }
  /** Another person in the claimant's workspace uses the account. */
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

export interface AccountLinks {
  /** Time for which a link lasts, in days. */
  readonly days: number;
  /** Resolves with the linked account of a person, if the accounts of the operator still contain it. */
  find(person: Person, thread: ThreadRef): Promise<string | undefined>;
  /** Resolves with a new code for the person. Their earlier codes no longer work. */
  begin(person: Person, thread: ThreadRef): Promise<string>;
  /** Returns the address of the page on which the code can be confirmed; undefined if no channel has such a page. */
  pageOf(code: string): string | undefined;
  /** Reserves the code for the person who shows it, who alone may confirm it. */
  show(code: string, by: Person, thread: ThreadRef): Promise<CodeResult>;
  /** Links the claimant to the account. The code must have been shown by the same person, and is used up. */
  confirm(code: string, account: string, by: Person, thread: ThreadRef): Promise<CodeResult>;
  /** Resolves to true if the person had a link. */
  unlink(person: Person, thread: ThreadRef): Promise<boolean>;
}
