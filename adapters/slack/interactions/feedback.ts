/** What people think of an answer: said with one press, explained in a form after a thumbs-down. */

import type { Checkboxes, InputBlock, ModalView, PlainTextInput } from '@slack/types';
import { plain, plains, text } from '../../../src/kit/json.ts';
import { badReasons, countsAlready } from '../../../src/kit/words.ts';
import type { Intake } from '../../../src/kit.ts';
import { isFor, isPrivate } from '../private.ts';
import type { SlackView } from '../receive/events.ts';
import { readActionValue } from '../render/actions.ts';
import { admit } from './admit.ts';
import { takeIn } from './asking.ts';
import { aside, modal, option, plainText } from './blocks.ts';
import { type Scene, threadAt } from './deps.ts';
import { openView } from './open-view.ts';
import type { Press } from './press.ts';
import { tell } from './tell.ts';
import { words } from './words.ts';

export const FEEDBACK = 'feedback';

/** Characters of the note. */
const NOTE = 1_000;

/** The form opens only within 3 s, so it comes first; the verdict counts without it. */
export async function pressFeedback(scene: Scene, { detail, reply, thread, action }: Press): Promise<void> {
  const verdict = detail === 'up' ? 'up' : 'down';
  const form = { title: 'Feedback', prepare: async () => feedbackForm(action.value) };
  const opened = verdict === 'down' ? openView(scene, form) : undefined;
  const kept = await give(scene, { thread, turn: reply.turn, verdict });
  await opened;
  if (kept && verdict === 'up') await tell(scene, words.thanks);
}

/** Whether it counts; else the person was told why not. */
async function give(
  scene: Scene,
  opinion: Pick<Extract<Intake, { kind: 'feedback' }>, 'thread' | 'turn' | 'verdict' | 'note'>,
): Promise<boolean> {
  const admission = await admit(scene);
  if (admission.kind === 'refused') {
    await tell(scene, admission.tellUser);
    return false;
  }
  const kept = await takeIn(scene, { kind: 'feedback', by: admission.scene.person, ...opinion });
  return kept.kind !== 'refused' && kept.kind !== 'nothing';
}

/** @param reply as its buttons carry it */
export function feedbackForm(reply: string): ModalView {
  const choices: Checkboxes = {
    type: 'checkboxes',
    action_id: 'reasons',
    options: badReasons.map((reason) => option(reason, reason)),
  };
  const note: PlainTextInput = {
    type: 'plain_text_input',
    action_id: 'note',
    multiline: true,
    max_length: NOTE,
  };
  return modal({
    callback: FEEDBACK,
    title: 'Feedback',
    submit: 'Send',
    metadata: reply,
    blocks: [
      aside(countsAlready('down')),
      optional('reasons', 'What was not good?', choices),
      optional('note', 'Anything else?', note),
    ],
  });
}

function optional(block: string, label: string, element: Checkboxes | PlainTextInput): InputBlock {
  return { type: 'input', block_id: block, optional: true, label: plainText(label, 200), element };
}

/** The form is closed at once; what it says replaces the bare verdict. */
export async function sendFeedback(scene: Scene, view: SlackView): Promise<void> {
  const read = readActionValue(view.metadata);
  const note = noteOf(view);
  if (read === undefined || note === '' || !isFor(scene.by.user, read.reply)) return;
  const { turn, room, key } = read.reply;
  const there = { ...scene, conversation: room, ...(!isPrivate(read.reply) && { threadTs: key }) };
  const thread = threadAt(scene.workspace, read.reply);
  if (await give(there, { thread, turn, verdict: 'down', note })) await tell(there, words.thanks);
}

function noteOf({ values }: SlackView): string {
  const chosen = plains(plain(values.reasons?.reasons).selected_options)
    .map(({ value }) => text(value) ?? '')
    .filter((reason) => badReasons.includes(reason));
  const written = text(plain(values.note?.note).value)?.trim() ?? '';
  return [chosen.join(', '), written.slice(0, NOTE)].filter((each) => each !== '').join('\n');
}
