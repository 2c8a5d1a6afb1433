/**
 * Presses on a card. https://learn.microsoft.com/adaptive-cards/authoring-cards/universal-action-model
 * ("adaptiveCard/action" and its responses), https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-actions
 */

import { faultsOfCard } from '../checks/card.ts';
import type { Delivery } from '../deliver/deliver.ts';
import { child, isJson, type Json, text } from '../read.ts';
import type { Message } from '../shapes.ts';
import { newActivityId } from '../world.ts';
import { around } from './activity.ts';
import type { Act } from './change.ts';
import { type Invoked, invoke, viewOf } from './invoke.ts';

export interface Pressing {
  /** Title or verb of the action. */
  readonly what: string;
  /** Values by the ids of the inputs. */
  readonly inputs?: Readonly<Record<string, string>>;
}

const CARD = 'application/vnd.microsoft.card.adaptive';
const ANSWERS = [CARD, 'application/vnd.microsoft.activity.message', 'application/vnd.microsoft.error'];

/** Returns all actions that a person sees, including those of nested cards. */
export function actionsOf(message: Message, aadObjectId: string): readonly Json[] {
  return viewOf(message, aadObjectId).flatMap(actionsIn);
}

export function actionsIn(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(actionsIn);
  if (!isJson(value)) return [];
  const inside = Object.entries(value).flatMap(([name, each]) =>
    name === 'data' || name === 'refresh' ? [] : actionsIn(each),
  );
  return String(value.type).startsWith('Action.') ? [value, ...inside] : inside;
}

export function press(act: Act, pressing: Pressing): Invoked {
  const { message, person } = act;
  const all = actionsOf(message, person.aadObjectId);
  const action = all.find(({ title, verb }) => title === pressing.what || verb === pressing.what);
  if (action === undefined) {
    const there = all.map(({ title, verb }) => String(title ?? verb)).join(', ');
    throw new Error(`Nothing there is called ${pressing.what}; there is: ${there}.`);
  }
  if (action.type === 'Action.Execute') return execute(act, action, pressing, 'manual');
  if (action.type !== 'Action.Submit') throw new Error(`${String(action.type)} does not come to the app.`);
  return submitted(act, action, pressing);
}

function execute(act: Act, action: Json, { inputs = {} }: Pressing, trigger: string): Invoked {
  const { title, verb, id } = action;
  const data = { ...child(action, 'data'), ...inputs };
  const value = { action: { type: 'Action.Execute', title, id, verb, data }, trigger };
  const invoked = invoke(act, { name: 'adaptiveCard/action', value }, faultsOfAnswer);
  return { ...invoked, answer: invoked.answer.then((answer) => replaced(act, answer)) };
}

/** Replaces the pressed card with the one in the response, for this person only. */
function replaced({ message, person }: Act, answer: Json | undefined): Json | undefined {
  if (answer?.type === CARD && isJson(answer.value)) message.views.set(person.aadObjectId, answer.value);
  return answer;
}

function faultsOfAnswer({ statusCode, type, value }: Json): readonly string[] {
  if (typeof statusCode !== 'number') return ['the answer has no statusCode'];
  if (!ANSWERS.includes(String(type))) return [`the answer is of the type ${String(type)}`];
  if (type === CARD) return faultsOfCard(value);
  if (type === 'application/vnd.microsoft.error') return errorFaults(value);
  return typeof value === 'string' ? [] : ['the message is not a text'];
}

const errorFaults = (value: unknown): readonly string[] =>
  isJson(value) && typeof value.code === 'string' && typeof value.message === 'string'
    ? []
    : ['the error has no code and message'];

/** Requests the card's `refresh`, as Teams does when a person listed in the card sees it. */
export function look(act: Act): Invoked | undefined {
  const { message, person } = act;
  const [card] = viewOf(message, person.aadObjectId);
  const refresh = child(card, 'refresh');
  const action = child(refresh, 'action');
  const users = (refresh?.userIds ?? []) as readonly string[];
  if (action === undefined || !users.includes(person.id)) return undefined;
  return execute(act, action, { what: '' }, 'automatic');
}

/** Sends a submit action, which arrives as a message without a text. */
function submitted(act: Act, action: Json, { inputs = {} }: Pressing): Invoked {
  const { scene, person, conversation, message } = act;
  const { clock } = scene.server.world;
  const data = { ...child(action, 'data'), ...inputs };
  const delivery: Delivery = scene.deliver({
    type: 'message',
    id: newActivityId(clock, conversation),
    ...around(scene, { person, conversation, message }),
    replyToId: message.id,
    value: text(action, 'data') ?? data,
  });
  return { delivery, answer: Promise.resolve(undefined) };
}
