/**
 * The protocol of the operator's page: JSON over HTTP. Only people whom a rule gives the right `operate`, and who have
 * signed in with the identity provider, get anything but 403. All routes only read.
 *
 * GET /console/operate/now                  -> NowView
 * GET /console/operate/turns                -> TurnsView; `after` is `next` of the previous page
 * GET /console/operate/failures             -> FailuresView
 * GET /console/operate/feedback             -> FeedbackView
 * GET /console/operate/people               -> PeopleView
 * GET /console/operate/turns/:turn          -> TurnView
 * GET /console/operate/export?format=FORMAT -> ended turns as a file: `csv` or `jsonl`
 *
 * The query contains filters: `channel`, `tenant`, `room`, `person`, `agent`, `code`, `turn`, `state` (several with
 * commas between them), and the time: `hours` until now, or `from` and `to` in ISO 8601. `limit` is 200 at most: an
 * answer says which limit applied.
 */

import type {
  CallBudget,
  LinkedPerson,
  OpenTurns,
  RatingLine,
  StoreStatus,
  TurnCounted,
  TurnLine,
} from '../../src/kit/ladder.ts';
import type { ReceiptView } from './wire.ts';

export interface NowView {
  readonly at: number;
  readonly status: StoreStatus;
  readonly open: OpenTurns;
  readonly budgets: readonly CallBudget[];
  readonly counted: TurnCounted;
}

export interface TurnsView {
  readonly lines: readonly TurnLine[];
  readonly limit: number;
  readonly next?: string | undefined;
  readonly searched?: number;
}

export interface FailuresView {
  readonly counted: TurnCounted;
  /** The newest questions that got no answer: those that failed or expired. */
  readonly unanswered: readonly TurnLine[];
  readonly limit: number;
}

export interface FeedbackView {
  readonly ratings: readonly RatingLine[];
  readonly corrections: readonly TurnLine[];
  readonly limit: number;
}

export interface PeopleView {
  readonly count: number;
  readonly people: readonly LinkedPerson[];
  readonly limit: number;
}

/** A turn with its receipt. `line` is absent if neither the inbox nor the audit contains the turn any more. */
export interface TurnView {
  readonly line?: TurnLine | undefined;
  readonly entries: ReceiptView['entries'];
}
