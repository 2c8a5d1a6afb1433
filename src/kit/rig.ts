/**
 * The types of a rig: what the author of a channel writes so that `parley conform` can check the channel. A rig runs
 * the chat, or a stand-in of it, and acts for the people in the chat.
 */

import type { ActionName } from '../reply/actions/press.ts';
import type { Shared } from './channel.ts';

/** The bridge as a rig sees it. */
export interface RigBridge {
  /** Address of the HTTP server with the channel's handlers, without a slash at the end. */
  readonly url: string;
  /** Path of an empty folder, which is deleted at the end of the run. */
  readonly folder: string;
}

/** A question that a person in the chat asks the app. If the chat needs a mention for that, the rig adds it. */
export interface RigQuestion {
  /** Unique, also among several runs. `text` contains it. */
  readonly key: string;
  /** Unique label of a thread. Questions with the same label belong to the same thread, in order. */
  readonly thread: string;
  /**
   * Label of the person who asks. `eve` is a member too, but some checks let the rules refuse her. `twin` is another
   * person with the name of `ada`, and occurs only if the rig has `namesake`.
   */
  readonly person: RigPerson;
  readonly text: string;
}

/** The labels of the people in the chat of a rig. */
export type RigPerson = 'ada' | 'ben' | 'eve' | 'twin';

/** The result of passing an event from the chat to the channel. */
export interface Delivered {
  /**
   * True if the channel acknowledged the event, so that the chat does not send it again. Undefined if this chat has no
   * acknowledgements.
   */
  readonly acknowledged?: boolean | undefined;
}

/**
 * A failure of the chat's transport.
 * - `lost`: the call does not arrive, and its connection breaks.
 * - `hidden`: the call takes effect, but its response is lost.
 * - `rate`: the chat refuses the call because of a rate limit.
 * - `busy`: the chat refuses the call, but may accept it a moment later.
 * - `invalid`: the chat never accepts the call in this form.
 * - `gone`: the chat responds that the message or the room no longer exists.
 * - `hang`: the call takes effect, but no response comes, and the connection stays open.
 */
export type TransportFault = 'lost' | 'hidden' | 'rate' | 'busy' | 'invalid' | 'gone' | 'hang';

/** The parts of a reply that a client of the chat would treat as more than plain text. */
export interface Live {
  /** People and groups that the chat would notify. */
  readonly mentions: readonly string[];
  /** Addresses from which a client would load images. */
  readonly images: readonly string[];
  /** `label`: what people read as the link, together with the host if the message names the host beside the label. */
  readonly links: readonly { readonly label: string; readonly address: string }[];
}

/** A press on a control of a reply. */
export interface RigPress {
  readonly question: RigQuestion;
  readonly action: ActionName;
  /** The suggestion or the agent to choose, or `up` for feedback; empty for the other actions. */
  readonly detail: string;
  readonly by: RigPerson;
}

/** The chat under test. All properties except the first four are optional; without them, some checks are left out. */
export interface Rig {
  /** The channel's settings, as in the configuration file. */
  readonly settings: unknown;
  /**
   * Sends the question. Resolves once the channel has answered the delivery. Like every function of a rig, it must end
   * within 10 s.
   */
  say(question: RigQuestion): Promise<Delivered>;
  /**
   * Returns the texts of the messages in which people see the reply to the question, in order, without lists of sources
   * and buttons. Returns an empty list if there is no reply, or if it was deleted. No check shows two replies in one
   * thread, so these are all messages of the app in the question's thread.
   */
  shown(question: RigQuestion): readonly string[] | Promise<readonly string[]>;
  close(): void | Promise<void>;
  /** Settings of the bridge that the channel needs, such as `publicUrl`. */
  readonly shared?: Partial<Shared>;
  /** Returns everything that people can read of the reply: the texts of `shown`, notices, sources and buttons. */
  seen?(question: RigQuestion): readonly string[] | Promise<readonly string[]>;
  /** Returns the texts that the question causes the person to read besides the reply, such as a refusal. */
  told?(question: RigQuestion): readonly string[] | Promise<readonly string[]>;
  /** Delivers the event of the question a second time, as the chat does after a missing acknowledgement. */
  repeat?(question: RigQuestion): Promise<Delivered>;
  /** Replaces the text of the person's message. The new text contains the key of the question. */
  edit?(question: RigQuestion, text: string): Promise<Delivered>;
  /** Deletes the person's message. */
  remove?(question: RigQuestion): Promise<Delivered>;
  /** Delivers a message that the app itself wrote, if the chat sends such events. */
  echo?(question: RigQuestion): Promise<Delivered>;
  /** Returns the mentions, images and links in the messages of the reply, as a client of the chat would show them. */
  live?(question: RigQuestion): Live | Promise<Live>;
  /**
   * Texts that this chat would turn into mentions, images or links if the channel did not neutralize them, such as
   * `<!here>` in Slack.
   */
  readonly hostile?: readonly string[];
  /** Actions whose controls this rig can press. */
  readonly actions?: readonly ActionName[];
  /**
   * Presses a control of the reply. Resolves with the sentences that the person reads in response, joined into one
   * text.
   */
  press?(press: RigPress): Promise<string>;
  /** For each failure that the rig can cause, a function that makes the channel's next call fail in this way. */
  readonly faults?: Partial<Readonly<Record<TransportFault, () => void>>>;
  /** Returns the number of calls that the chat has received from the channel. */
  calls?(): number;
  /** Milliseconds for which the chat asks to wait when it refuses a call with `rate`. */
  readonly retryAfterMs?: number;
  /** Set if the chat knows the person `twin`. */
  readonly namesake?: true;
  /** Set if the chat itself shows Markdown, so that `shown` returns its marks. */
  readonly showsMarkdown?: true;
  /** Set if the channel cannot look up its own messages. A post whose response was lost may then appear twice. */
  readonly blind?: true;
  /** Set if the chat, such as a terminal, cannot change or delete messages. */
  readonly keepsWhatItShowed?: true;
}
