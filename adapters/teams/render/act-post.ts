/** A question that somebody pressed, as a message above its answer. */

import { asWords, shortened } from '../../../src/kit/emission.ts';
import type { TeamsMessage } from './message.ts';
import { label } from './runs.ts';

const HEAD_CHARS = 300;
const QUESTION_CHARS = 4_000;

/** @param head who asks whom; names in it may be anything */
export function actPost(head: string, question: string): TeamsMessage {
  const asked = shortened(question.trim(), QUESTION_CHARS);
  const lines = asked === '' ? [] : asked.split(/\r?\n/).map((each) => `> ${asWords(each)}`);
  return {
    type: 'message',
    text: [`**${asWords(label(head, HEAD_CHARS, '…'))}**`, lines.join('\n')].filter(Boolean).join('\n\n'),
    textFormat: 'markdown',
    entities: [],
    attachments: [],
  };
}
