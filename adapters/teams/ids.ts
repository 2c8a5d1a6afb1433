/** Ids of the channel, in the form that the bridge stores. */

export const CHANNEL = 'teams';

/** Separates the channel from the thread's first message in a conversation id. */
const ROOT = ';messageid=';

/** The parts of a conversation id: the chat or channel, and in a channel the thread's first message. */
interface Conversation {
  readonly room: string;
  readonly root?: string;
}

/** Splits a conversation id. It may be percent-encoded (Bot Connector reference, "conversation"). */
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

/** Prefixes an activity's id with the room, because it is unique in its conversation only. */
export function messageId(room: string, activity: string): string {
  return `${room}/${activity}`;
}

/** Returns the activity's id from a message's id. */
export function activityOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/**
 * A question that a person asked with a button: a suggestion, the same question to another agent, or the question with
 * their own rights. It has no message in Teams. Its id includes the kind, so that the kind is known after a restart.
 */
export type ActKind = 'suggestion' | 'same' | 'mine';

const ACT = /^act-(suggestion|same|mine)-/;

/**
 * Returns the message id of a question that a press asked.
 * @param press id of the press, unique in its channel
 */
export function actId(room: string, kind: ActKind, press: string): string {
  return messageId(room, `act-${kind}-${encodeURIComponent(press)}`);
}

/** Returns undefined for a message that a person wrote. */
export function actOf(id: string): ActKind | undefined {
  return ACT.exec(activityOf(id))?.[1] as ActKind | undefined;
}
