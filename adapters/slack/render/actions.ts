/** Names and values of a reply's buttons: written when a reply is rendered, read when a press comes in. */

import { questionInRoom, type ReplyRef, wholeQuestion } from '../../../src/kit/reply-ref.ts';
import { type ActionName, isActionName, type ThreadRef, turnId } from '../../../src/kit.ts';

/** `more`: the overflow menu, whose options' values are other kinds with their details. */
export type ActionKind = ActionName | 'more';

/** Slack wants it unique in its block, so buttons of one kind are counted. */
export function actionId(kind: ActionKind, place?: number): string {
  return place === undefined ? `reply:${kind}` : `reply:${kind}:${place}`;
}

/** Returns undefined if the id is not that of a reply's control. */
export function readActionId(id: string): ActionKind | undefined {
  const [of, kind = ''] = id.split(':', 2);
  return of === 'reply' ? kindOf(kind) : undefined;
}

const kindOf = (kind: string): ActionKind | undefined =>
  kind === 'more' || isActionName(kind) ? kind : undefined;

/** Value of an option in the overflow menu. */
export function choiceValue(kind: ActionKind, detail?: string): string {
  return detail === undefined ? kind : `${kind} ${detail}`;
}

/** UTF-16 units. https://docs.slack.dev/reference/block-kit/block-elements/button-element */
const BUTTON_VALUE = 2_000;
/**
 * Maximum length of an option's value, too short for a reply: https://docs.slack.dev/reference/block-kit/composition-
 * objects/option-object
 */
export const OPTION_VALUE = 75;

/** No part but the detail holds a space. One that would not fit is empty: half a question is another question. */
export function actionValue(reply: ReplyRef, detail = ''): string {
  const { turn, room, key, kind } = reply;
  const value = [turn, kind, room, key, questionInRoom(reply), detail].join(' ');
  return value.length <= BUTTON_VALUE ? value : actionValue(reply);
}

/** The id of a menu names the reply, and its options carry their detail alone. An id has 255 characters. */
export function menuId(kind: ActionKind, reply: ReplyRef): string {
  return `${actionId(kind)}:${actionValue(reply)}`;
}

export interface ReadAction {
  readonly reply: ReplyRef;
  readonly detail: string;
}

const written = /^(\S+) (direct|group|room) (\S+) (\S+) (\S+) (.*)$/s;

export function readActionValue(value: string): ReadAction | undefined {
  const [, turn = '', kind = '', room = '', key = '', inRoom = '', detail = ''] = written.exec(value) ?? [];
  if (turn === '') return undefined;
  const question = wholeQuestion(inRoom, room);
  return {
    reply: { turn: turnId(turn), question, room, key, kind: kind as ThreadRef['kind'] },
    detail,
  };
}

interface Action {
  readonly id: string;
  /** The button's value, or the menu's chosen option. */
  readonly value: string;
}

/** Decodes a pressed button, or the chosen option of a menu. Returns undefined if it is not a control of a reply. */
export function readAction({ id, value }: Action): ReadAction | undefined {
  const menu = /^reply:[a-z]+:(.+ )$/s.exec(id)?.[1];
  if (menu === undefined) return readActionValue(value);
  const read = readActionValue(menu);
  if (read === undefined || readActionId(id) !== 'more') return read && { ...read, detail: value };
  return { ...read, detail: /^[a-z]+ (.+)$/s.exec(value)?.[1] ?? '' };
}

/**
 * The kind of a press; for the overflow menu, that of the chosen option. Undefined if it is not a control of a reply.
 */
export function pressedKind({ id, value }: Action): ActionName | undefined {
  const kind = readActionId(id);
  const pressed = kind === 'more' ? kindOf(/^[a-z]+/.exec(value)?.[0] ?? '') : kind;
  return pressed === 'more' ? undefined : pressed;
}
