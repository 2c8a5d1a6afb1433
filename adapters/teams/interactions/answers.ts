/** What an invoke is answered with (Microsoft's pages on universal actions for Adaptive Cards and on feedback buttons). */

import type { Plain } from '../../../src/kit/json.ts';
import type { InvokeAnswer } from '../receive/http.ts';
import { attached, CARD_TYPE } from '../render/card.ts';

/** What the person who pressed sees of it. */
export type Told =
  /** One sentence; what was refused is said also where it comes too late for an answer. */
  | { readonly kind: 'said' | 'refused'; readonly sentence: string }
  /** In place of the message's card, for them alone. */
  | { readonly kind: 'card'; readonly card: Plain };

export const said = (sentence: string): Told => ({ kind: 'said', sentence });
export const refused = (sentence: string): Told => ({ kind: 'refused', sentence });

const MESSAGE_TYPE = 'application/vnd.microsoft.activity.message';

export function answerOf(told: Told): InvokeAnswer {
  return told.kind === 'card' ? action(CARD_TYPE, told.card) : action(MESSAGE_TYPE, told.sentence);
}

const action = (type: string, value: unknown): InvokeAnswer => ({
  status: 200,
  body: { statusCode: 200, type, value },
});

/** A form that opens. */
export const dialog = (title: string, card: Plain): InvokeAnswer => ({
  status: 200,
  body: { task: { type: 'continue', value: { title, card: attached(card) } } },
});

/** Anything more is shown as an error. */
export const NOTED: InvokeAnswer = { status: 200 };
