/** Renders the form in which a person asks an agent about a message. */

import type { AgentCard, Plain } from '../../../src/kit/ladder.ts';
import type { Quote } from '../../../src/kit.ts';
import { AGENT_INPUT, agentChoices } from './buttons.ts';
import { cardOf } from './card.ts';
import { label, line, quiet } from './runs.ts';
import { words } from './words.ts';

/** Ids of the form's inputs, and of the property that names the form. */
export const QUESTION_INPUT = 'question';
export const FORM = 'form';
/** Maximum characters of the question, and of the message that the form shows. */
export const QUESTION_CHARS = 3_000;
const QUOTE_CHARS = 300;

/** Returns the form. With a single agent, it has no menu of agents. */
export function askForm(agents: readonly AgentCard[], { author, text: said }: Quote, form: string): Plain {
  const choices = agentChoices(agents);
  const agent = { type: 'Input.ChoiceSet', id: AGENT_INPUT, label: words.whichAgent, style: 'compact' };
  return cardOf(
    [
      line(label(`${author}: ${said}`, QUOTE_CHARS, '–'), quiet),
      ...(choices.length < 2 ? [] : [{ ...agent, placeholder: words.usualAgent, choices }]),
      {
        type: 'Input.Text',
        id: QUESTION_INPUT,
        label: words.question,
        isMultiline: true,
        value: words.aboutThis,
        maxLength: QUESTION_CHARS,
        isRequired: true,
        errorMessage: words.writeQuestion,
      },
    ],
    [{ type: 'Action.Submit', title: words.ask, data: { [FORM]: form } }],
  );
}
