/** The form to ask an agent with. Pure. */

import type { InputBlock, KnownBlock, ModalView, PlainTextInput } from '@slack/types';
import { plain, text } from '../../../src/kit/json.ts';
import { type AgentCard, type AgentName, agentName, type Quote } from '../../../src/kit.ts';
import type { SlackView } from '../receive/events.ts';
import { label } from '../render/escape.ts';
import { aside, modal, option, plainText, select } from './blocks.ts';

export const ASK = 'ask';
/** Maximum characters of a text input in Slack. */
const QUESTION = 3_000;
const QUOTED = 300;

interface AskLook {
  readonly agents: readonly AgentCard[];
  readonly initial?: AgentName | undefined;
  readonly question?: string;
  /** The message that the question is about. */
  readonly about?: Quote;
  readonly metadata?: string;
}

export function askForm({ agents, initial, question, about, metadata }: AskLook): ModalView {
  const input: PlainTextInput = {
    type: 'plain_text_input',
    action_id: 'question',
    multiline: true,
    max_length: QUESTION,
    ...(question !== undefined && { initial_value: question }),
  };
  const quoted = about && `${about.author}: ${about.text}`;
  return modal({
    callback: ASK,
    title: 'Ask an agent',
    submit: 'Ask',
    ...(metadata !== undefined && { metadata }),
    blocks: [
      ...(quoted === undefined ? [] : [aside(label(quoted, QUOTED, '–'))]),
      ...agentInput(agents, initial),
      { type: 'input', block_id: 'question', label: plainText('Question', 200), element: input },
    ],
  });
}

/** With a single agent, the form has no menu of agents. */
function agentInput(agents: readonly AgentCard[], initial: AgentName | undefined): KnownBlock[] {
  if (agents.length < 2) return [];
  const options = agents.map(({ name }) => option(name, name));
  const element = select('agent', options, { placeholder: 'The usual one', initial });
  const input: InputBlock = {
    type: 'input',
    block_id: 'agent',
    optional: true,
    label: plainText('Agent', 200),
    element,
  };
  return [input];
}

export interface Filled {
  readonly agent?: AgentName;
  readonly question: string;
}

export function readAskForm({ values }: SlackView, agents: readonly AgentCard[]): Filled {
  const chosen = text(plain(plain(values.agent?.agent).selected_option).value);
  const question = text(plain(values.question?.question).value)?.trim() ?? '';
  const known = agents.some(({ name }) => name === chosen);
  return { question, ...(known && chosen !== undefined && { agent: agentName(chosen) }) };
}
