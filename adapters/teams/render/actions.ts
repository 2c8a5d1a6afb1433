/** Data of a card's buttons: written when a card is rendered, and read when a press arrives. */

import { type Plain, plain, text } from '../../../src/kit/json.ts';
import { questionInRoom, type ReplyRef, wholeQuestion } from '../../../src/kit/reply-ref.ts';
import { type ActionName, isActionName, type ThreadRef, turnId } from '../../../src/kit.ts';

const VERB = 'parley.';

export const verbOf = (kind: ActionName): string => `${VERB}${kind}`;

/** Version of the data, so that buttons of other versions are recognized. */
const SHAPE = 1;

/** Returns the data for a card's action. Leaves out the thread's key if it equals the room. */
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

/** Buttons whose card replaces the answer's card and has a button back to it. */
const withBackButton: ReadonlySet<ActionName> = new Set(['sources', 'share', 'shareSource']);

/** The reply, with the message's offset, because clients may not report the message whose button was pressed. */
export interface ButtonReply extends ReplyRef {
  /** Offset in the answer's text where the message begins, in UTF-16 units; absent: 0. */
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

/** Returns undefined if the button is not from the bridge, or from another version of it. */
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
