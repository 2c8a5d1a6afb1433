/** Renders the form in which a person corrects an answer. */

import { type CorrectionForm, type Plain, text, type Wording } from '../../../src/kit/ladder.ts';
import type { ButtonReply } from './actions.ts';
import { backButton, button } from './buttons.ts';
import { cardOf } from './card.ts';
import { line, quiet } from './runs.ts';
import { words } from './words.ts';

/** Maximum UTF-16 units of each text in the form. The whole card then stays far below the 100 KB that Teams accepts. */
export const CORRECTION_CHARS = { question: 1_000, answer: 8_000 } as const;

/**
 * Ids of the form's inputs. They must differ from the names of the properties in a button's data, because a press sends
 * both in one object.
 */
const INPUTS = { question: 'correctedQuestion', answer: 'correctedAnswer' } as const;

/** Detail in the data of the button that sends the form. */
export const STORE = 'store';

/** The form replaces the answer's card for the person who pressed. */
export function correctionForm({ question, answer, told }: CorrectionForm, reply: ButtonReply): Plain {
  const field = (what: keyof Wording, label: string, value: string, isMultiline: boolean): Plain => ({
    type: 'Input.Text',
    id: INPUTS[what],
    label,
    value,
    isMultiline,
    maxLength: CORRECTION_CHARS[what],
    isRequired: true,
    errorMessage: words.writeBoth,
  });
  const store = { ...button('correct', words.store, reply, STORE), associatedInputs: 'auto' };
  return cardOf(
    [
      line(words.correctTitle, { weight: 'Bolder' }),
      ...told.map((sentence) => line(sentence, quiet)),
      field('question', words.correctedQuestion, question, false),
      field('answer', words.correctedAnswer, answer, true),
    ],
    [store, backButton(reply)],
    { msteams: { width: 'Full' } },
  );
}

/** Returns what the person wrote. Cuts texts that a forged press makes longer than the form allows. */
export function wordingOf(inputs: Plain): Wording {
  const written = (what: keyof Wording) =>
    (text(inputs[INPUTS[what]]) ?? '').slice(0, CORRECTION_CHARS[what]).toWellFormed();
  return { question: written('question'), answer: written('answer') };
}
