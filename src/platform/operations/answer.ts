import { z } from 'zod';
import { finalText, idsOf } from '../stream/text.ts';

/** An agent's answer as one JSON body (platform contract CHL-16, EXP-8, DEC-16). */
export const wholeAnswer = z.object({
  text: z.string(),
  session: z.string().optional(),
  chatRecord: z.string().optional(),
});

export function readAnswer(body: unknown): unknown {
  return { text: finalText(body)?.text ?? '', ...idsOf(body) };
}
