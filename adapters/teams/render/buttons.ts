/**
 * Makes a card's buttons. Each press arrives as an invoke named `adaptiveCard/action` (universal actions for Adaptive
 * Cards).
 */

import type { AgentCard, NumberedSource, Plain } from '../../../src/kit/ladder.ts';
import type { ActionName, ReplyDocument } from '../../../src/kit.ts';
import { actionData, type ButtonReply, verbOf } from './actions.ts';
import type { RenderContext } from './render-context.ts';
import { label, line, quiet } from './runs.ts';
import { words } from './words.ts';

/** Maximum characters of a button's title, so that it stays readable next to other buttons. */
const TITLE_CHARS = 60;
/** Maximum agents in a menu. */
const MAX_CHOICES = 100;
/** Maximum suggestions under an answer. */
const MAX_SUGGESTIONS = 5;
/**
 * Maximum characters of a suggestion. Longer ones are left out, because a shortened question could have another
 * meaning.
 */
const SUGGESTION_CHARS = 1_000;

/** Id of the card's input in which a person chooses an agent. */
export const AGENT_INPUT = 'agent';

export function button(kind: ActionName, title: string, reply: ButtonReply, detail?: string): Plain {
  return {
    type: 'Action.Execute',
    title: label(title, TITLE_CHARS, kind),
    verb: verbOf(kind),
    data: actionData(kind, reply, detail),
    // Do not send the card's inputs with this press; they belong to another button.
    associatedInputs: 'none',
  };
}

/** Value in the data of a "Sources" button that leads back to the answer instead of to a page of sources. */
export const BACK = 'back';

/** Returns the button that shows the answer again, on a card that replaces the answer's card. */
export const backButton = (reply: ButtonReply): Plain => button('sources', words.back, reply, BACK);

const refOf = ({ turn }: ReplyDocument, { reply }: RenderContext): ButtonReply => ({ turn, ...reply });

/** True if an agent wrote the message. The bridge's own messages get no feedback buttons and no Regenerate. */
export const isAnswer = ({ agent }: ReplyDocument): boolean => agent !== undefined;

export function stopButton(document: ReplyDocument, context: RenderContext): Plain {
  return button('stop', words.stop, refOf(document, context));
}

/** Returns the buttons under an answer. Teams shows six of them and moves the others to a menu. */
export function controls(
  document: ReplyDocument,
  sources: readonly NumberedSource[],
  context: RenderContext,
): readonly Plain[] {
  const { retry, state, text } = document;
  const ref = refOf(document, context);
  return [
    ...(sources.length > 0 ? [button('sources', words.allSources(sources.length), ref)] : []),
    ...(retry ? [button('retry', words.retry, ref)] : []),
    ...(state === 'done' && isAnswer(document) ? [button('regenerate', words.regenerate, ref)] : []),
    ...(context.isPrivate && text !== '' ? [button('share', words.share, ref)] : []),
    ...(context.offersAsSelf && isAnswer(document) ? [button('mine', words.askAsMe, ref)] : []),
    ...(context.offersCorrection && isAnswer(document) ? [button('correct', words.correct, ref)] : []),
    ...askAnother(document, context),
  ];
}

function askAnother(document: ReplyDocument, context: RenderContext): readonly Plain[] {
  const others = context.agents.filter(({ name }) => name !== document.agent);
  if (!isAnswer(document) || others.length === 0) return [];
  const card = {
    type: 'AdaptiveCard',
    version: '1.5',
    body: [choice(AGENT_INPUT, words.whichAgent, words.chooseAgent, agentChoices(others))],
    actions: [{ ...button('agent', words.ask, refOf(document, context)), associatedInputs: 'auto' }],
  };
  return [{ type: 'Action.ShowCard', title: words.askAnother, card }];
}

export const agentChoices = (agents: readonly AgentCard[]): readonly Plain[] =>
  agents
    .slice(0, MAX_CHOICES)
    .map(({ name }) => ({ title: label(name, TITLE_CHARS, words.whichAgent), value: name }));

/** Returns an input in which a person must choose one of `choices`. */
export function choice(id: string, question: string, errorMessage: string, choices: readonly Plain[]): Plain {
  return {
    type: 'Input.ChoiceSet',
    id,
    label: question,
    style: 'compact',
    isRequired: true,
    errorMessage,
    choices,
  };
}

/** Returns the suggested questions to show. */
export function suggestionsOf({ suggestions }: ReplyDocument): readonly string[] {
  return suggestions
    .filter((text) => text.trim() !== '' && text.length <= SUGGESTION_CHARS)
    .slice(0, MAX_SUGGESTIONS);
}

/** Returns the suggestions as buttons, one below another, because questions are long. */
export function suggestionButtons(document: ReplyDocument, context: RenderContext): readonly Plain[] {
  return suggestionsOf(document).map((text) => ({
    type: 'ActionSet',
    spacing: 'Small',
    actions: [button('suggestion', text, refOf(document, context), text)],
  }));
}

/** Returns the number of the version shown, between arrows to the previous and the next version. */
export function versions(document: ReplyDocument, context: RenderContext): readonly Plain[] {
  const { editions } = document;
  if (editions === undefined) return [];
  const { shown, count } = editions;
  const to = (edition: number, title: string, tooltip: string): readonly Plain[] => {
    if (edition < 1 || edition > count) return [];
    const press = { ...button('show', title, refOf(document, context), String(edition)), tooltip };
    return [column([{ type: 'ActionSet', actions: [press] }])];
  };
  const caption = line(words.version(shown, count), quiet);
  const columns = [
    ...to(shown - 1, words.earlier, words.earlierVersion),
    column([caption]),
    ...to(shown + 1, words.later, words.laterVersion),
  ];
  return [{ type: 'ColumnSet', columns, spacing: 'Small' }];
}

const column = (items: readonly Plain[]): Plain => ({
  type: 'Column',
  width: 'auto',
  verticalContentAlignment: 'Center',
  items,
});
