/** A card's buttons. Every press comes back as `adaptiveCard/action` (universal actions for Adaptive Cards). */

import type { Plain } from '../../../src/kit/json.ts';
import type { ActionName, NumberedSource, ReplyDocument } from '../../../src/kit.ts';
import { actionData, type ButtonReply, verbOf } from './actions.ts';
import type { Look } from './look.ts';
import { label, line, quiet } from './runs.ts';
import { words } from './words.ts';

/** Characters of a button's title that can be read beside others. */
const TITLE_CHARS = 60;
/** Agents that a choice offers. */
const MAX_CHOICES = 100;
/** Suggestions that stand under an answer. */
const MAX_SUGGESTIONS = 5;
/** Characters of a suggestion that a button carries whole: half a question would be another one. */
const SUGGESTION_CHARS = 1_000;

/** The id of the choice of an agent: how the press tells which. */
export const AGENT_INPUT = 'agent';

export function button(kind: ActionName, title: string, reply: ButtonReply, detail?: string): Plain {
  return {
    type: 'Action.Execute',
    title: label(title, TITLE_CHARS, kind),
    verb: verbOf(kind),
    data: actionData(kind, reply, detail),
    // What is chosen in a card's inputs is another button's.
    associatedInputs: 'none',
  };
}

const refOf = ({ turn }: ReplyDocument, { reply }: Look): ButtonReply => ({ turn, ...reply });

/** What the bridge itself says can be neither judged nor asked again. */
export const isAnswer = ({ agent }: ReplyDocument): boolean => agent !== undefined;

export function stopButton(document: ReplyDocument, look: Look): Plain {
  return button('stop', words.stop, refOf(document, look));
}

/** Under the answer; Teams shows six before it folds the others away. */
export function controls(
  document: ReplyDocument,
  sources: readonly NumberedSource[],
  look: Look,
): readonly Plain[] {
  const { retry, state, text } = document;
  const ref = refOf(document, look);
  return [
    ...(sources.length > 0 ? [button('sources', words.allSources(sources.length), ref)] : []),
    ...(retry ? [button('retry', words.retry, ref)] : []),
    ...(state === 'done' && isAnswer(document) ? [button('regenerate', words.regenerate, ref)] : []),
    ...(look.isPrivate && text !== '' ? [button('share', words.share, ref)] : []),
    ...(look.offersAsSelf && isAnswer(document) ? [button('mine', words.askAsMe, ref)] : []),
    ...askAnother(document, look),
  ];
}

function askAnother(document: ReplyDocument, look: Look): readonly Plain[] {
  const others = look.agents.filter(({ name }) => name !== document.agent);
  if (!isAnswer(document) || others.length === 0) return [];
  const choices = others
    .slice(0, MAX_CHOICES)
    .map(({ name }) => ({ title: label(name, TITLE_CHARS, words.whichAgent), value: name }));
  const card = {
    type: 'AdaptiveCard',
    version: '1.5',
    body: [choice(AGENT_INPUT, words.whichAgent, words.chooseAgent, choices)],
    actions: [{ ...button('agent', words.ask, refOf(document, look)), associatedInputs: 'auto' }],
  };
  return [{ type: 'Action.ShowCard', title: words.askAnother, card }];
}

interface Choice {
  readonly title: string;
  readonly value: string;
}

/** An input that requires one of the choices. */
export function choice(
  id: string,
  question: string,
  errorMessage: string,
  choices: readonly Choice[],
): Plain {
  return {
    ...{ type: 'Input.ChoiceSet', id, label: question, style: 'compact' },
    ...{ isRequired: true, errorMessage, choices },
  };
}

/** Questions that may be asked next. */
export function suggestionsOf({ suggestions }: ReplyDocument): readonly string[] {
  return suggestions
    .filter((text) => text.trim() !== '' && text.length <= SUGGESTION_CHARS)
    .slice(0, MAX_SUGGESTIONS);
}

/** One below the other, as questions are long. */
export function suggestionButtons(document: ReplyDocument, look: Look): readonly Plain[] {
  return suggestionsOf(document).map((text) => ({
    type: 'ActionSet',
    spacing: 'Small',
    actions: [button('suggestion', text, refOf(document, look), text)],
  }));
}

/** Which version this is, between arrows to those beside it. */
export function versions(document: ReplyDocument, look: Look): readonly Plain[] {
  const { editions } = document;
  if (editions === undefined) return [];
  const { shown, count } = editions;
  const to = (edition: number, title: string, tooltip: string): readonly Plain[] => {
    if (edition < 1 || edition > count) return [];
    const press = { ...button('show', title, refOf(document, look), String(edition)), tooltip };
    return [column([{ type: 'ActionSet', actions: [press] }])];
  };
  const told = line(words.version(shown, count), quiet);
  const columns = [
    ...to(shown - 1, words.earlier, words.earlierVersion),
    column([told]),
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
