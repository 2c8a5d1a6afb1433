/** Makes the cards for the feedback form, for notes, and for the results of other forms. */

import { countsAlready, type Plain, text } from '../../../src/kit/ladder.ts';
import type { Turn } from '../../../src/kit.ts';
import type { ButtonReply } from './actions.ts';
import { backButton, button } from './buttons.ts';
import { attached, cardOf } from './card.ts';
import { label, line } from './runs.ts';
import { words } from './words.ts';

/** Ids of the form's inputs. */
export const REASONS_INPUT = 'reasons';
export const NOTE_INPUT = 'note';
/** Maximum characters of a feedback note. */
export const NOTE_CHARS = 1_000;
/** Maximum characters of the list of chosen reasons. All existing reasons together need far fewer. */
const REASONS_CHARS = 100;

/** Character with which Teams separates the chosen reasons (Adaptive Cards schema, Input.ChoiceSet). */
const BETWEEN = ',';

const reasonsFor = (verdict: 'up' | 'down'): readonly string[] =>
  verdict === 'up' ? words.goodReasons : words.badReasons;

/**
 * Returns the feedback form. Teams sends the completed form to the bridge as `message/submitAction` (Teams
 * documentation of feedback buttons).
 */
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

/** Returns the form's chosen reasons and its note as one text; empty if the person entered nothing. */
export function feedbackNote(verdict: 'up' | 'down', inputs: Plain): string {
  const selected = new Set(text(inputs[REASONS_INPUT])?.slice(0, REASONS_CHARS).split(BETWEEN));
  const chosen = reasonsFor(verdict).filter((_, at) => selected.has(String(at)));
  const note = inputs[NOTE_INPUT];
  const written = typeof note === 'string' ? note.trim().slice(0, NOTE_CHARS) : '';
  return [chosen.join(', '), written].filter((each) => each !== '').join('\n');
}

/** Maximum characters of the sentence in a note. */
const SENTENCE_CHARS = 2_000;

/** Returns a card that says one sentence. */
export const noteCard = (sentence: string): Plain => cardOf([line(label(sentence, SENTENCE_CHARS, '…'))]);

/** Shows the result of a form in its place. */
export const resultCard = (sentence: string, reply: ButtonReply): Plain =>
  cardOf([line(sentence)], [backButton(reply)]);

/**
 * Returns the note about a waiting question, with the button *Ask this instead*. The sentence is part of the card,
 * because Teams splits a message with a text and a card. Clients show `summary` in notifications
 * (microsoft-teams-library-js issue 3054); `speak` and `fallbackText` are for clients that do not draw the card.
 */
export function waitingNote({ id: turn, message }: Turn, sentence: string): object {
  const { room, key, kind } = message.thread;
  const instead = button('instead', words.instead, { turn, question: message.id, room, key, kind });
  const card = cardOf([line(sentence)], [instead], { speak: sentence, fallbackText: sentence });
  return { type: 'message', summary: sentence, attachments: [attached(card)] };
}
