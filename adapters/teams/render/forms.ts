/** Cards beside answers: feedback, the choice of another agent, the greeting, notes. */

import { asWords } from '../../../src/kit/emission.ts';
import type { Plain } from '../../../src/kit/json.ts';
import type { AgentCard, ThreadRef } from '../../../src/kit.ts';
import type { ReplyRef } from './actions.ts';
import { agentChoice, askButton } from './buttons.ts';
import { attached, cardOf } from './card.ts';
import type { TeamsMessage } from './message.ts';
import { label, line, richText, run } from './runs.ts';
import { words } from './words.ts';

/** The ids of the form's inputs. */
export const REASONS_INPUT = 'reasons';
export const NOTE_INPUT = 'note';
/** Characters of a note. */
export const NOTE_CHARS = 1_000;

/** What stands between several chosen reasons (Adaptive Cards schema, Input.ChoiceSet). */
const BETWEEN = ',';

const reasonsFor = (verdict: 'up' | 'down'): readonly string[] =>
  verdict === 'up' ? words.goodReasons : words.badReasons;

/** In a dialog; it comes back as `message/submitAction` (Teams documentation of feedback buttons). */
export function feedbackForm(verdict: 'up' | 'down'): Plain {
  const choices = reasonsFor(verdict).map((title, at) => ({ title, value: String(at) }));
  return cardOf(
    [
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

/** What was said in the form; empty where nothing was. */
export function feedbackNote(verdict: 'up' | 'down', inputs: Plain): string {
  const reasons = reasonsFor(verdict);
  const chosen = String(inputs[REASONS_INPUT] ?? '')
    .split(BETWEEN)
    .flatMap((at) => (/^\d{1,2}$/.test(at) ? (reasons[Number(at)] ?? []) : []));
  const note = inputs[NOTE_INPUT];
  const written = typeof note === 'string' ? note.trim().slice(0, NOTE_CHARS) : '';
  return [chosen.join(', '), written].filter((each) => each !== '').join('\n');
}

export function askAnotherCard(agents: readonly AgentCard[], reply: ReplyRef): Plain {
  return agents.length === 0 ? noteCard(words.noAgents) : cardOf([agentChoice(agents)], [askButton(reply)]);
}

/** Agents that a greeting names, and characters of what is said of each. */
const MAX_AGENTS = 10;
const DESCRIPTION_CHARS = 200;
const NAME_CHARS = 60;
const MAX_PROMPTS = 5;

export interface Greeting {
  /** Of the app, as people see it. */
  readonly name: string;
  readonly kind: ThreadRef['kind'];
  readonly agents: readonly AgentCard[];
  readonly prompts: readonly { readonly title: string; readonly message: string }[];
}

/** When the app was added. Prompts are asked by a press, so they stand only where no mention is needed. */
export function greetingMessage({ name, kind, agents, prompts }: Greeting): TeamsMessage {
  const how = kind === 'direct' ? words.howToAskDirect : words.howToAskRoom(label(name, NAME_CHARS, '…'));
  const offered = kind === 'direct' ? prompts.slice(0, MAX_PROMPTS) : [];
  const actions = offered.map(({ title, message }) => ({
    type: 'Action.Submit',
    title: label(title, NAME_CHARS, '…'),
    data: { msteams: { type: 'imBack', value: message } },
  }));
  const hello = words.greeting(label(name, NAME_CHARS, '…'));
  const card = cardOf([line(how), ...agentList(agents)], actions);
  return { ...noteMessage(hello), attachments: [attached(card)] };
}

function agentList(agents: readonly AgentCard[]): readonly Plain[] {
  if (agents.length === 0) return [line(words.noAgents, { isSubtle: true })];
  const lines = agents.slice(0, MAX_AGENTS).map(({ name, description }) => {
    const told = label(description, DESCRIPTION_CHARS, '');
    const rest = told === '' ? [] : [run(`: ${told}`)];
    return richText([run(`• ${label(name, NAME_CHARS, '…')}`, { weight: 'Bolder' }), ...rest], {
      spacing: 'None',
    });
  });
  const more = agents.length - MAX_AGENTS;
  return [
    line(words.agents, { weight: 'Bolder' }, { spacing: 'Medium' }),
    ...lines,
    ...(more > 0 ? [line(words.moreAgents(more), { isSubtle: true })] : []),
  ];
}

const NOTE_MESSAGE_CHARS = 2_000;

/** A sentence of the bridge as a message of its own. */
export function noteMessage(sentence: string): TeamsMessage {
  return {
    type: 'message',
    text: asWords(label(sentence, NOTE_MESSAGE_CHARS, '…')),
    textFormat: 'markdown',
    entities: [],
    attachments: [],
  };
}

/** The same in place of a card. */
export const noteCard = (sentence: string): Plain => cardOf([line(label(sentence, NOTE_MESSAGE_CHARS, '…'))]);
