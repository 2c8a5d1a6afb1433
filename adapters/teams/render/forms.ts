/** Cards beside answers: feedback and notes. */

import { type Plain, text } from '../../../src/kit/json.ts';
import { countsAlready } from '../../../src/kit/words.ts';
import { cardOf } from './card.ts';
import { label, line } from './runs.ts';
import { words } from './words.ts';

/** The ids of the form's inputs. */
export const REASONS_INPUT = 'reasons';
export const NOTE_INPUT = 'note';
/** Characters of a note. */
export const NOTE_CHARS = 1_000;
/** Characters in which the chosen reasons are told: far more than all of them need, of which each is said once. */
const REASONS_CHARS = 100;

/** What stands between several chosen reasons (Adaptive Cards schema, Input.ChoiceSet). */
const BETWEEN = ',';

const reasonsFor = (verdict: 'up' | 'down'): readonly string[] =>
  verdict === 'up' ? words.goodReasons : words.badReasons;

/** In a dialog; it comes back as `message/submitAction` (Teams documentation of feedback buttons). */
export function feedbackForm(verdict: 'up' | 'down'): Plain {
  const choices = reasonsFor(verdict).map((title, at) => ({ title, value: String(at) }));
  return cardOf(
    [
      line(countsAlready(verdict), { isSubtle: true }),
      {
        type: 'Input.ChoiceSet',
        id: REASONS_INPUT,
        label: verdict === 'up' ? words.whatWasGood : words.whatWasBad,
        isMultiSelect: true,
        style: 'expanded',
        choices,
      },
      {
        type: 'Input.Text',
        id: NOTE_INPUT,
        label: words.anythingElse,
        isMultiline: true,
        maxLength: NOTE_CHARS,
      },
    ],
    [{ type: 'Action.Submit', title: words.send }],
  );
}

/** What was said in the form; empty where nothing was. */
export function feedbackNote(verdict: 'up' | 'down', inputs: Plain): string {
  const told = new Set(text(inputs[REASONS_INPUT])?.slice(0, REASONS_CHARS).split(BETWEEN));
  const chosen = reasonsFor(verdict).filter((_, at) => told.has(String(at)));
  const note = inputs[NOTE_INPUT];
  const written = typeof note === 'string' ? note.trim().slice(0, NOTE_CHARS) : '';
  return [chosen.join(', '), written].filter((each) => each !== '').join('\n');
}

/** Characters of a sentence. */
const SENTENCE_CHARS = 2_000;

/** A sentence of the bridge in place of a card. */
export const noteCard = (sentence: string): Plain => cardOf([line(label(sentence, SENTENCE_CHARS, '…'))]);
