/** Data that a card's buttons contain. Rendering writes it; handling a press reads it. */

import {
  type Plain,
  plain,
  questionInRoom,
  type ReplyRef,
  text,
  wholeQuestion,
} from '../../../src/kit/ladder.ts';
import { type ActionName, isActionName, type ThreadRef, turnId } from '../../../src/kit.ts';

const VERB = 'parley.';

export const verbOf = (kind: ActionName): string => `${VERB}${kind}`;

/** Version of the data's layout, so that buttons from another version of the bridge are recognized. */
const SHAPE = 1;

/** Returns the data of a button. Omits the thread's key if it equals the room. */
export function actionData(kind: ActionName, reply: ButtonReply, detail?: string): Plain {
  const { turn, room, key, kind: place, at = 0 } = reply;
  return {
    parley: SHAPE,
    kind,
    turn,
    question: questionInRoom(reply),
    room,
    place,
    ...(key !== room && { key }),
    ...(at > 0 && withBackButton.has(kind) && { at }),
    ...(detail !== undefined && { detail }),
  };
}

/** Actions that replace the answer's card with a card of their own, which has a button back to the answer. */
const withBackButton: ReadonlySet<ActionName> = new Set(['sources', 'share', 'shareSource', 'correct']);

/**
 * Identifies the reply and the message in a button's data. The message's offset is included, because Teams may not
 * report which message contains the pressed button.
 */
export interface ButtonReply extends ReplyRef {
  /** Where in the answer's text the message begins, in UTF-16 units; absent if it is 0. */
  readonly at?: number;
}

export interface ReadAction {
  readonly kind: ActionName;
  readonly reply: ButtonReply;
  readonly detail: string;
  /** Values that the person entered, by the ids of the inputs. */
  readonly inputs: Plain;
}

const places: ReadonlySet<string> = new Set(['direct', 'group', 'room']);

/**
 * Returns the data of a press; undefined if the button is not from the bridge, or from another version of the bridge.
 */
export function readAction(value: unknown): ReadAction | undefined {
  const { parley, kind: name, turn, question, room, key, place, at, detail, ...inputs } = plain(value);
  const kind = text(name);
  const [ofTurn, inRoom, ofRoom, where] = [turn, question, room, place].map(text);
  if (parley !== SHAPE || kind === undefined || !isActionName(kind)) return undefined;
  if (!ofTurn || !inRoom || !ofRoom || !where || !places.has(where)) return undefined;
  return {
    kind,
    reply: {
      turn: turnId(ofTurn),
      question: wholeQuestion(inRoom, ofRoom),
      room: ofRoom,
      key: text(key) ?? ofRoom,
      kind: where as ThreadRef['kind'],
      ...(typeof at === 'number' && { at }),
    },
    detail: text(detail) ?? '',
    inputs,
  };
}
