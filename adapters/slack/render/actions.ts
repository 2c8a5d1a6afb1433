/** Names and values of a reply's buttons. Rendering writes them; handling a press reads them. */

import { questionInRoom, type ReplyRef, wholeQuestion } from '../../../src/kit/ladder.ts';
import { type ActionName, isActionName, type ThreadRef, turnId } from '../../../src/kit.ts';

/** `more` is the overflow menu. The value of each of its options contains the action and its detail. */
export type ActionKind = ActionName | 'more';

/**
 * Returns the id of a button or menu. Ids must be unique in a block, so buttons of one kind are numbered by `place`.
 */
export function actionId(kind: ActionKind, place?: number): string {
  return place === undefined ? `reply:${kind}` : `reply:${kind}:${place}`;
}

/** Returns the kind of the button or menu with this id; undefined if it does not belong to a reply. */
export function readActionId(id: string): ActionKind | undefined {
  const [of, kind = ''] = id.split(':', 2);
  return of === 'reply' ? kindOf(kind) : undefined;
}

const kindOf = (kind: string): ActionKind | undefined =>
  kind === 'more' || isActionName(kind) ? kind : undefined;

/** Returns the value of an option in the overflow menu. */
export function choiceValue(kind: ActionKind, detail?: string): string {
  return detail === undefined ? kind : `${kind} ${detail}`;
}

/**
 * Maximum length of a button's value, in UTF-16 units.
 * https://docs.slack.dev/reference/block-kit/block-elements/button-element
 */
const BUTTON_VALUE = 2_000;
/**
 * Maximum length of an option's value, in UTF-16 units; too short for a reference to a reply.
 * https://docs.slack.dev/reference/block-kit/composition-objects/option-object
 */
export const OPTION_VALUE = 75;

/**
 * Returns a button's value. Only the detail may contain spaces. Omits a detail that is too long, because a shortened
 * question could have another meaning.
 */
export function actionValue(reply: ReplyRef, detail = ''): string {
  const { turn, room, key, kind } = reply;
  const value = [turn, kind, room, key, questionInRoom(reply), detail].join(' ');
  return value.length <= BUTTON_VALUE ? value : actionValue(reply);
}

/**
 * Returns a menu's id. It names the reply, because the values of the menu's options are too short for that. Slack
 * allows 255 characters.
 */
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

/** Decodes a pressed button, or the chosen option of a menu. Returns undefined if it does not belong to a reply. */
export function readAction({ id, value }: Action): ReadAction | undefined {
  const menu = /^reply:[a-z]+:(.+ )$/s.exec(id)?.[1];
  if (menu === undefined) return readActionValue(value);
  const read = readActionValue(menu);
  if (read === undefined || readActionId(id) !== 'more') return read && { ...read, detail: value };
  return { ...read, detail: /^[a-z]+ (.+)$/s.exec(value)?.[1] ?? '' };
}

/**
 * Returns the action of a press; for the overflow menu, the action of the chosen option. Returns undefined if it does
 * not belong to a reply.
 */
export function pressedKind({ id, value }: Action): ActionName | undefined {
  const kind = readActionId(id);
  const pressed = kind === 'more' ? kindOf(/^[a-z]+/.exec(value)?.[0] ?? '') : kind;
  return pressed === 'more' ? undefined : pressed;
}
