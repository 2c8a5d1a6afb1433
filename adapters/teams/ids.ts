/** Converts between Teams' ids and those that the bridge stores. */

export const CHANNEL = 'teams';

/** Id of the command in the menu of a message; the app's manifest contains it. */
export const ASK_ABOUT = 'askAbout';

/** In a conversation's id, separates the channel from the id of the thread's first message. */
const ROOT = ';messageid=';

/**
 * The parts of a conversation's id: the chat or channel (`room`) and, in a channel, the thread's first message
 * (`root`).
 */
interface Conversation {
  readonly room: string;
  readonly root?: string;
}

/** Splits a conversation's id, which may be percent-encoded (Bot Connector reference, "conversation"). */
export function readConversation(id: string): Conversation {
  const decoded = decodedId(id);
  const at = decoded.indexOf(ROOT);
  return at < 0 ? { room: decoded } : { room: decoded.slice(0, at), root: decoded.slice(at + ROOT.length) };
}

/** Returns the conversation id for messages to a thread. */
export function conversationId({ room, root }: Conversation): string {
  return root === undefined ? room : `${room}${ROOT}${root}`;
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/**
 * Returns the bridge's id of a message. It contains the room, because an activity's id is unique only within its
 * conversation.
 */
export function messageId(room: string, activity: string): string {
  return `${room}/${activity}`;
}

/** Returns the activity's id that a message's id contains. */
export function activityOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/**
 * The kind of a question asked with a button: `suggestion`; `same`, the same question to another agent; `mine`, the same
 * question with the person's own rights; or `about`, a question about a message. A question asked with a button is not a message in Teams. Its id contains
 * the kind, so that the kind is known after a restart.
 */
export type ActKind = 'suggestion' | 'same' | 'mine' | 'about';

const ACT = /^act-(suggestion|same|mine|about)-/;

/**
 * Returns the message id of a question that a person asked with a button.
 * @param press id of the press, unique in its channel
 */
export function actId(room: string, kind: ActKind, press: string): string {
  return messageId(room, `act-${kind}-${encodeURIComponent(press)}`);
}

/** Returns the kind of question that the id contains; undefined for a message that a person wrote. */
export function actOf(id: string): ActKind | undefined {
  return ACT.exec(activityOf(id))?.[1] as ActKind | undefined;
}
