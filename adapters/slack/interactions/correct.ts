/** Corrects an answer: opens a form with the question and the answer, and stores what the person wrote in the form. */

import type { ModalView } from '@slack/types';
import { type CorrectionForm, openCorrection, storeCorrection } from '../../../src/kit/ladder.ts';
import type { SlackView } from '../receive/events.ts';
import { actionValue, type ReadAction, readActionValue } from '../render/actions.ts';
import { aside, input, modal, notice, textInput, writtenIn } from '../render/blocks.ts';
import type { Interaction } from './deps.ts';
import { replyPress } from './replies.ts';
import { openView } from './tell.ts';
import { words } from './words.ts';

export const CORRECT = 'correct';

/**
 * Slack's limit of a text input, in characters.
 * https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
 */
const INPUT_CHARS = 3_000;
const LIMITS = { question: INPUT_CHARS, answer: INPUT_CHARS } as const;

/** @param ts time stamp of the press */
export async function openCorrect(interaction: Interaction, read: ReadAction, ts: string): Promise<void> {
  await openView(interaction, words.correctTitle, async () => {
    const { press, context } = replyPress(interaction, read, { action: 'correct', ts });
    const form = await openCorrection(press, context, LIMITS);
    if (form.kind === 'refused') return notice(words.correctTitle, form.sentence);
    return correctionForm(form, actionValue(read.reply));
  });
}

/** @param reply the value that the reply's buttons carry */
export function correctionForm({ question, answer, told }: CorrectionForm, reply: string): ModalView {
  const field = (name: keyof typeof LIMITS, label: string, text: string) =>
    input(name, label, textInput(name, LIMITS[name], text === '' ? undefined : text));
  return modal({
    callback: CORRECT,
    title: words.correctTitle,
    submit: words.store,
    metadata: reply,
    blocks: [
      ...told.map(aside),
      field('question', words.correctedQuestion, question),
      field('answer', words.correctedAnswer, answer),
    ],
  });
}

/** Stores the correction. Resolves with the sentence about the result. */
export async function correct(interaction: Interaction, view: SlackView): Promise<string> {
  const read = readActionValue(view.metadata);
  if (read === undefined) return words.stale;
  const { press, context } = replyPress(interaction, read, { action: 'correct' });
  const [question, answer] = [writtenIn(view, 'question'), writtenIn(view, 'answer')];
  return (await storeCorrection(press, context, { question, answer })).sentence;
}
