/** The calls that a reply is made of. Each holds what it needs, so that it can be made without the screen. */

import type { Begin } from '../../../src/kit/emission.ts';
import type { Form } from '../../../src/kit/reply-part.ts';
import type { Move, ReplyDocument } from '../../../src/kit.ts';
import type { Lost, TeamsPart } from './screen.ts';

interface OfDocument {
  readonly document: ReplyDocument;
}

interface OfPart extends OfDocument {
  readonly index: number;
  readonly part: TeamsPart;
}

export type Call =
  | (OfDocument & { readonly kind: 'typing' })
  /** `says`: what the agent does, or the answer. */
  | (OfDocument & {
      readonly kind: 'start';
      readonly begin: Begin;
      readonly says: 'steps' | 'text';
      /** What is beyond is too much for one message; absent: all fits. */
      readonly to?: number;
    })
  | (OfPart & { readonly kind: 'stream'; readonly says: 'steps' | 'text' })
  /**
   * end: with what stands under the answer. rotate: it ends at `to`, and the next message goes on. late: edits go on in
   * the same message. repair: an edit will show what is right.
   */
  | (OfPart & {
      readonly kind: 'final';
      readonly why: 'end' | 'rotate' | 'late' | 'repair';
      readonly to?: number;
    })
  | (OfDocument & {
      readonly kind: 'post';
      readonly index: number;
      readonly begin: Begin;
      readonly to?: number;
      readonly form: Form;
      readonly unconfirmed?: true;
    })
  | (OfPart & { readonly kind: 'update'; readonly to?: number; readonly unconfirmed?: true })
  | (OfPart & { readonly kind: 'delete' })
  /** The card under a message's text. `mark`: of what it is to show. */
  | (OfPart & {
      readonly kind: 'card';
      readonly id?: string;
      readonly mark: number;
      readonly to?: number;
      readonly unconfirmed?: true;
    })
  | (OfDocument & { readonly kind: 'uncard'; readonly id: string })
  | (OfDocument & {
      readonly kind: 'find';
      readonly lost: Lost;
      readonly known: readonly string[];
    });

export type Kind = Call['kind'];
export type Of<One extends Kind> = Extract<Call, { kind: One }>;

const families: Readonly<Record<Kind, string>> = {
  typing: 'typing',
  start: 'stream',
  stream: 'stream',
  // A stream's pace holds for its end, too.
  final: 'stream',
  post: 'activity',
  update: 'activity',
  delete: 'activity',
  card: 'activity',
  uncard: 'activity',
  find: 'lookup',
};

export function move(call: Call, essential: boolean): Move {
  return { family: families[call.kind], essential, call };
}

/** What is under a running text gives way to everything else. */
export const unhurried = (call: Of<'card'>): Move => ({ family: 'card', essential: false, call });

/** A move's call is opaque to the core; this writer gets back only its own. */
export function callOf({ call }: Move): Call {
  return call as Call;
}
