/** The channel's ids as the bridge keeps them. */

export const CHANNEL = 'teams';

/** What separates a conversation from its thread's root message in a conversation id of a Teams channel. */
const ROOT = ';messageid=';

/** Where a conversation id leads: the chat or channel, and in a channel the thread's root message. */
interface Conversation {
  readonly room: string;
  readonly root?: string;
}

/** Conversation ids may arrive percent-encoded (Bot Connector reference, "conversation"). */
export function readConversation(id: string): Conversation {
  const decoded = whole(id);
  const at = decoded.indexOf(ROOT);
  return at < 0 ? { room: decoded } : { room: decoded.slice(0, at), root: decoded.slice(at + ROOT.length) };
}

/** The id under which a thread is written to. */
export function conversationId({ room, root }: Conversation): string {
  return root === undefined ? room : `${room}${ROOT}${root}`;
}

function whole(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** An activity's id is unique in its conversation only, so the room stands before it. */
export function messageId(room: string, activity: string): string {
  return `${room}/${activity}`;
}

/** The activity's id inside a message's id. */
export function activityOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/**
 * What a person did by pressing: asked a suggestion, asked another agent the same, asked as themselves. Such a question
 * has no message of its own in Teams; its id tells that, so that it is known also after a restart.
 */
export type ActKind = 'suggestion' | 'same' | 'mine';

const ACT = /^act-(suggestion|same|mine)-/;

/** @param press unique in its channel */
export function actId(room: string, kind: ActKind, press: string): string {
  return messageId(room, `act-${kind}-${encodeURIComponent(press)}`);
}

/** Nothing for what a person wrote. */
export function actOf(id: string): ActKind | undefined {
  return ACT.exec(activityOf(id))?.[1] as ActKind | undefined;
}
