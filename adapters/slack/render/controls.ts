/** The buttons under an answer. Frequent actions are buttons; the others are options of one overflow menu. */

import type { ActionsBlock, Button, KnownBlock, Overflow, StaticSelect } from '@slack/types';
import type { NumberedSource, ReplyRef } from '../../../src/kit/ladder.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import { type ActionKind, actionId, actionValue, choiceValue, menuId, OPTION_VALUE } from './actions.ts';
import { button, option, select } from './blocks.ts';
import type { Form } from './form.ts';
import type { RenderContext } from './render-context.ts';
import { words } from './words.ts';

/** Slack's limit for the options of an overflow menu. */
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

export function stopButton(document: ReplyDocument, context: RenderContext): ActionsBlock[] {
  return actionsOf([press({ kind: 'stop', text: words.stop }, refOf(document, context))]);
}

export function suggestions(document: ReplyDocument, context: RenderContext): ActionsBlock[] {
  const reply = refOf(document, context);
  const elements = document.suggestions
    .filter((text) => text.trim() !== '')
    .slice(0, MAX_SUGGESTIONS)
    .map((text, place) => press({ kind: 'suggestion', text, detail: text, place }, reply));
  return actionsOf(elements);
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
  const reply = refOf(document, context);
  const make = (control: Control): Button => press(control, reply);
  const frequent = frequentOnes(document, sources, context).map(make);
  const further = furtherOnes(document, context);
  const rest = form === 'common' ? further.map(make) : menus(further, otherAgents(document, context), reply);
  return actionsOf([...frequent, ...rest]);
}

const actionsOf = (elements: ActionsBlock['elements']): ActionsBlock[] =>
  elements.length === 0 ? [] : [{ type: 'actions', elements }];

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
  others: readonly Control[],
  reply: ReplyRef,
): (Button | Overflow | StaticSelect)[] {
  const all = [...further, ...others];
  if (all.length <= MENU_OPTIONS) return overflow(all, reply);
  return [...overflow(further, reply), agentSelect(others, reply)];
}

/** Returns the overflow menu, or a single button if there is only one option. */
function overflow(all: readonly Control[], reply: ReplyRef): (Button | Overflow)[] {
  const [first] = all;
  if (first === undefined) return [];
  if (all.length === 1) return [press(first, reply)];
  const options = all.map(({ kind, text, detail }) => option(text, choiceValue(kind, detail)));
  return [{ type: 'overflow', action_id: menuId('more', reply), options }];
}

/** Returns a control for each other agent. Leaves out agents whose names are too long for an option's value. */
function otherAgents(document: ReplyDocument, { agents }: RenderContext): Control[] {
  if (!isAnswer(document)) return [];
  return agents
    .filter(({ name }) => name !== document.agent && choiceValue('agent', name).length <= OPTION_VALUE)
    .map(({ name }) => ({ kind: 'agent', text: words.askAgent(name), detail: name }));
}

function agentSelect(others: readonly Control[], reply: ReplyRef): StaticSelect {
  const options = others.map(({ detail = '' }) => option(detail, detail));
  return select(menuId('agent', reply), options, words.askAnother);
}

export function feedback(document: ReplyDocument, context: RenderContext): KnownBlock[] {
  const { state, text } = document;
  if (text === '' || !isAnswer(document) || (state !== 'done' && state !== 'partial')) return [];
  const choice = (verdict: 'up' | 'down', label: string) =>
    option(label, actionValue(refOf(document, context), verdict));
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

const refOf = ({ turn }: ReplyDocument, { reply }: RenderContext): ReplyRef => ({ turn, ...reply });

const press = ({ kind, text, detail, place }: Control, reply: ReplyRef): Button =>
  button(text, { id: actionId(kind, place), value: actionValue(reply, detail) });
