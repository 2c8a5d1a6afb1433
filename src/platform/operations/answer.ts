import { z } from 'zod';
import { finalText, idsOf } from '../stream/text.ts';
import { text } from '../wire/members.ts';

/** An agent's answer as one JSON body (platform contract CHL-16, EXP-8, DEC-16). */
export const wholeAnswer = z.object({
  text: z.string().describe('The answer, Markdown'),
  session: text('The conversation that it belongs to').optional(),
  chatRecord: text('Its record, for the references').optional(),
  sources: z.array(z.unknown()).describe('What it was drawn from').optional(),
  suggestions: z.array(z.string()).describe('Questions that could follow').optional(),
  thoughts: z.array(z.unknown()).describe('Thoughts and tools of the agent').optional(),
  media: z.array(z.unknown()).describe('Images and files of the answer').optional(),
});

export type WholeAnswer = z.infer<typeof wholeAnswer>;

export function readAnswer(body: unknown): unknown {
  return { text: finalText(body)?.text ?? '', ...idsOf(body) };
}
