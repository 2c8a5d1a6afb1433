/**
 * Thumbs under a message: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content
 * ("Feedback buttons"; a response with a body is an error).
 */

import { faultsOfCard } from '../checks/card.ts';
import { thumbsOf } from '../connector/shown.ts';
import { child, isJson, type Json, text } from '../read.ts';
import type { Act } from './change.ts';
import { type Invoked, invoke } from './invoke.ts';

export interface Rating {
  readonly reaction: 'like' | 'dislike';
  /** Text typed into Teams' own feedback form. */
  readonly feedback?: string;
  /** Values entered in the app's feedback form, by field. */
  readonly inputs?: Json;
  /** True puts the action inside `data`, as in the types of microsoft/teams.ts (its pull request 522). */
  readonly wrapped?: boolean;
}

export interface Rated extends Invoked {
  /** Resolves with the app's feedback form; absent if the app uses Teams' own form. */
  readonly form?: Promise<Json | undefined>;
}

export function rate(act: Act, rating: Rating): Rated {
  const { shown, thumbs } = act.message;
  const kind = thumbsOf(shown);
  if (kind === undefined || thumbs === undefined) throw new Error('The message has no thumbs.');
  if (kind === 'default') return submit(act, rating, { feedbackText: rating.feedback ?? '' });
  const { reaction, inputs, wrapped = false } = rating;
  const action = { actionName: 'feedback', actionValue: { reaction } };
  const value = wrapped ? { data: action } : action;
  const asked = invoke(act, { name: 'message/fetchTask', value }, formFaults);
  if (inputs === undefined) return { ...asked, form: asked.answer };
  const sent = asked.answer.then(() => submit(act, rating, inputs).answer);
  return { ...asked, form: asked.answer, answer: sent };
}

function submit(act: Act, { reaction }: Rating, given: Json): Invoked {
  const actionValue = { reaction, feedback: JSON.stringify(given) };
  const value = { actionName: 'feedback', actionValue };
  return invoke(act, { name: 'message/submitAction', value }, (answer) =>
    Object.keys(answer).length === 0 ? [] : ['the answer to message/submitAction is not empty'],
  );
}

function formFaults(answer: Json): readonly string[] {
  const task = child(answer, 'task');
  const value = child(task, 'value');
  if (task?.type !== 'continue' || value === undefined) return ['the answer holds no form'];
  const card = isJson(value.card) && isJson(value.card.content) ? value.card.content : value.card;
  return [...(text(value, 'title') === undefined ? ['the form has no title'] : []), ...faultsOfCard(card)];
}
