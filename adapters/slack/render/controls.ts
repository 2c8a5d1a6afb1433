/** The buttons under an answer. Frequent actions are buttons; the others are options of one overflow menu. */

import type {
  ActionsBlock,
  Button,
  KnownBlock,
  Overflow,
  PlainTextElement,
  StaticSelect,
} from '@slack/types';
import type { NumberedSource, ReplyDocument } from '../../../src/kit.ts';
import { type ActionKind, actionId, actionValue, choiceValue, menuId, OPTION_VALUE } from './actions.ts';
import { label } from './escape.ts';
import type { Form } from './form.ts';
import type { RenderContext } from './render-context.ts';
import { words } from './words.ts';

/** Slack's limit for the label of a button or an option, in characters. */
const LABEL_CHARS = 75;
/** Slack's limits for the options of a select and of an overflow menu. */
const SELECT_OPTIONS = 100;
const MENU_OPTIONS = 5;
/** Maximum suggestions under one answer. */
const MAX_SUGGESTIONS = 5;

interface Control {
  readonly kind: ActionKind;
  readonly text: string;
  /** Data that the press carries besides its action. */
  readonly detail?: string;
  /** Number that makes ids of buttons of one kind unique. */
  readonly place?: number;
}

/** True if an agent wrote the message. The bridge's own messages get no feedback buttons and cannot be regenerated. */
export const isAnswer = ({ agent }: ReplyDocument): boolean => agent !== undefined;

export function stopButton(document: ReplyDocument, context: RenderContext): ActionsBlock {
  return { type: 'actions', elements: [button({ kind: 'stop', text: words.stop }, document, context)] };
}

export function suggestions(document: ReplyDocument, context: RenderContext): ActionsBlock[] {
  const elements = document.suggestions
    .filter((text) => text.trim() !== '')
    .slice(0, MAX_SUGGESTIONS)
    .map((text, place) => button({ kind: 'suggestion', text, detail: text, place }, document, context));
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

/**
 * Returns the buttons under an answer. In the form `common`, buttons replace the menus, and other agents are not
 * offered.
 */
export function controls(
  document: ReplyDocument,
  sources: readonly NumberedSource[],
  context: RenderContext,
  form: Form,
): ActionsBlock[] {
  const make = (control: Control): Button => button(control, document, context);
  const frequent = frequentOnes(document, sources, context).map(make);
  const further = furtherOnes(document, context);
  const rest = form === 'common' ? further.map(make) : menus(further, document, context);
  const elements = [...frequent, ...rest];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

function frequentOnes(
  { retry, text }: ReplyDocument,
  sources: readonly NumberedSource[],
  { isPrivate }: RenderContext,
): Control[] {
  return [
    ...(sources.length > 0 ? [{ kind: 'sources', text: words.allSources(sources.length) } as const] : []),
    ...(retry ? [{ kind: 'retry', text: words.retry } as const] : []),
    ...(isPrivate && text !== '' ? [{ kind: 'share', text: words.share } as const] : []),
  ];
}

function furtherOnes(document: ReplyDocument, { offersAsSelf, offersCorrection }: RenderContext): Control[] {
  const answer = isAnswer(document);
  return [
    ...(document.state === 'done' && answer ? [{ kind: 'regenerate', text: words.regenerate } as const] : []),
    ...versions(document),
    ...(offersAsSelf && answer ? [{ kind: 'mine', text: words.askAsMe } as const] : []),
    ...(offersCorrection && answer ? [{ kind: 'correct', text: words.correct } as const] : []),
  ];
}

/** Returns the buttons that show the previous and the next version of the answer. */
function versions({ editions }: ReplyDocument): Control[] {
  if (editions === undefined) return [];
  const { shown, count } = editions;
  const to = (edition: number, text: string, place: number): Control[] =>
    edition < 1 || edition > count ? [] : [{ kind: 'show', text, detail: String(edition), place }];
  return [...to(shown - 1, words.earlierVersion, 0), ...to(shown + 1, words.laterVersion, 1)];
}

/** Offers other agents in the overflow menu if all its options then fit, otherwise in a separate select menu. */
function menus(
  further: readonly Control[],
  document: ReplyDocument,
  context: RenderContext,
): (Button | Overflow | StaticSelect)[] {
  const others = otherAgents(document, context);
  const all = [...further, ...others];
  if (all.length <= MENU_OPTIONS) return overflow(all, document, context);
  return [...overflow(further, document, context), agentSelect(others, document, context)];
}

/** Returns the overflow menu, or a single button if there is only one option. */
function overflow(
  all: readonly Control[],
  document: ReplyDocument,
  context: RenderContext,
): (Button | Overflow)[] {
  const [first] = all;
  if (first === undefined) return [];
  if (all.length === 1) return [button(first, document, context)];
  const options = all.map(({ kind, text, detail }) => ({
    text: plainText(text),
    value: choiceValue(kind, detail),
  }));
  return [{ type: 'overflow', action_id: menuId('more', refOf(document, context)), options }];
}

/** Returns a control for each other agent. Leaves out agents whose names are too long for an option's value. */
function otherAgents(document: ReplyDocument, { agents }: RenderContext): Control[] {
  if (!isAnswer(document)) return [];
  return agents
    .filter(({ name }) => name !== document.agent && choiceValue('agent', name).length <= OPTION_VALUE)
    .map(({ name }) => ({ kind: 'agent', text: words.askAgent(name), detail: name }));
}

function agentSelect(
  others: readonly Control[],
  document: ReplyDocument,
  context: RenderContext,
): StaticSelect {
  const options = others
    .slice(0, SELECT_OPTIONS)
    .map(({ detail = '' }) => ({ text: plainText(detail), value: detail }));
  const placeholder = plainText(words.askAnother);
  return {
    type: 'static_select',
    action_id: menuId('agent', refOf(document, context)),
    placeholder,
    options,
  };
}

export function feedback(document: ReplyDocument, context: RenderContext): KnownBlock[] {
  const { state, text } = document;
  if (text === '' || !isAnswer(document) || (state !== 'done' && state !== 'partial')) return [];
  const choice = (verdict: 'up' | 'down', said: string) => ({
    text: plainText(said),
    value: actionValue(refOf(document, context), verdict),
  });
  return [
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: actionId('feedback'),
          positive_button: choice('up', words.good),
          negative_button: choice('down', words.bad),
        },
      ],
    },
  ];
}

const refOf = ({ turn }: ReplyDocument, { reply }: RenderContext) => ({ turn, ...reply });

function button(
  { kind, text, detail, place }: Control,
  document: ReplyDocument,
  context: RenderContext,
): Button {
  return {
    type: 'button',
    action_id: actionId(kind, place),
    text: plainText(text),
    value: actionValue(refOf(document, context), detail),
  };
}

const plainText = (text: string): PlainTextElement => ({
  type: 'plain_text',
  text: label(text, LABEL_CHARS, '…'),
  emoji: false,
});
