/**
 * Feedback on an answer. One press records a verdict (thumbs up or down); a thumbs-down also opens a form for a note.
 */

import type { Checkboxes, ModalView } from '@slack/types';
import { badReasons, countsAlready, plains, text } from '../../../src/kit/ladder.ts';
import { press } from '../../../src/kit.ts';
import { isPrivate } from '../private-places.ts';
import type { SlackView } from '../receive/events.ts';
import { readActionValue } from '../render/actions.ts';
import {
  aside,
  fieldIn,
  modal,
  notice,
  option,
  optionalInput,
  textInput,
  writtenIn,
} from '../render/blocks.ts';
import type { Interaction } from './deps.ts';
import { type ReplyPress, replyPress } from './replies.ts';
import { openView, tell } from './tell.ts';

export const FEEDBACK = 'feedback';
const TITLE = 'Feedback';

/** Maximum characters of the note. */
const NOTE = 1_000;

/**
 * Records the verdict. A thumbs-down also opens the form for a note; the verdict counts even if that form is never
 * sent.
 */
export async function pressFeedback(
  interaction: Interaction,
  pressed: ReplyPress,
  carried: string,
): Promise<void> {
  const isDown = pressed.press.detail === 'down';
  const answer = press(pressed.press, pressed.context);
  const prepare = async () => {
    const { kind, sentence } = await answer;
    return kind === 'refused' ? notice(TITLE, sentence) : feedbackForm(carried);
  };
  const opened = isDown ? openView(interaction, TITLE, prepare) : undefined;
  const { sentence } = await answer;
  await (opened ?? tell(interaction, sentence));
}

/**
 * Returns the form for a note after a thumbs-down.
 * @param reply the value that the reply's buttons carry
 */
export function feedbackForm(reply: string): ModalView {
  const choices: Checkboxes = {
    type: 'checkboxes',
    action_id: 'reasons',
    options: badReasons.map((reason) => option(reason, reason)),
  };
  return modal({
    callback: FEEDBACK,
    title: TITLE,
    submit: 'Send',
    metadata: reply,
    blocks: [
      aside(countsAlready('down')),
      optionalInput('reasons', 'What was wrong?', choices),
      optionalInput('note', 'Anything else?', textInput('note', NOTE)),
    ],
  });
}

/** Records the verdict again, now with the note from the form. Does nothing if the form is empty. */
export async function sendFeedback(interaction: Interaction, view: SlackView): Promise<void> {
  const read = readActionValue(view.metadata);
  const note = noteOf(view);
  if (read === undefined || note === '') return;
  const { room, key } = read.reply;
  const there = { ...interaction, conversation: room, ...(!isPrivate(read.reply) && { threadTs: key }) };
  const sent = replyPress(there, { ...read, detail: 'down' }, { action: 'feedback', note });
  await tell(there, (await press(sent.press, sent.context)).sentence);
}

function noteOf(view: SlackView): string {
  const chosen = plains(fieldIn(view, 'reasons').selected_options)
    .map(({ value }) => text(value) ?? '')
    .filter((reason) => badReasons.includes(reason));
  return [chosen.join(', '), writtenIn(view, 'note').slice(0, NOTE)].filter((each) => each !== '').join('\n');
}
