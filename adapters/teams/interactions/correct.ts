/**
 * Corrects an answer. For the person who pressed, a form replaces the answer's card, and then the result replaces the
 * form.
 */

import { openCorrection, storeCorrection } from '../../../src/kit.ts';
import {
  CORRECTION_CHARS,
  correctionForm,
  correctionResult,
  STORE,
  wordingOf,
} from '../render/correction-form.ts';
import type { Told } from './deps.ts';
import type { ReplyPress } from './press.ts';

export async function pressCorrect({ press, context, read }: ReplyPress): Promise<Told> {
  const { reply, detail, inputs } = read;
  if (detail !== STORE) {
    const form = await openCorrection(press, context, CORRECTION_CHARS);
    return form.kind === 'refused' ? form : { kind: 'card', card: correctionForm(form, reply) };
  }
  const stored = await storeCorrection(press, context, wordingOf(inputs));
  if (stored.kind === 'refused') return stored;
  const { sentence } = stored;
  return { kind: 'card', card: correctionResult(sentence, reply), sentence };
}
