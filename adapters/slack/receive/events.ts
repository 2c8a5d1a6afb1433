/**
 * Slack's events after decoding. Ids are Slack's own; a time stamp (`ts`) identifies a message within its conversation.
 */

/** A message from an event, or from the history of a conversation. */
export interface SlackMessage {
  readonly conversation: string;
  /** Kind of conversation, such as `im`. Absent if the message comes from a mention event. */
  readonly conversationType?: string;
  readonly ts: string;
  /** Time stamp of the thread's first message; absent for a message outside threads. */
  readonly threadTs?: string;
  readonly user?: string;
  /** Bot id. Set if an app posted the message, even if it posted under a person's name. */
  readonly bot?: string;
  /** Author's name that the posting app chose for this message, else the app's own name. */
  readonly name?: string;
  /** The author's own workspace. */
  readonly team?: string;
  readonly subtype?: string;
  /** The text in Slack's older format, mrkdwn. */
  readonly text: string;
  /** Not decoded yet, like `attachments`: both are decoded when the message is converted to text. */
  readonly blocks: readonly unknown[];
  readonly attachments: readonly unknown[];
  readonly files: readonly SlackFile[];
  /** Time stamp of the last edit. */
  readonly edited?: string;
  /** Type of the metadata that the posting app attached. */
  readonly mark?: string;
  /** Set if Slack sent the message as a mention of the app. */
  readonly mentionsApp?: true;
  /** What the author looked at in Slack while writing; only in direct messages with the app. */
  readonly inView?: readonly InView[];
  /** Number of replies to the thread's first message. */
  readonly replies?: number;
}

/** A message, or something else that is named by its kind and id. */
export type InView =
  | { readonly kind: 'message'; readonly conversation: string; readonly ts: string }
  | { readonly kind: 'other'; readonly type: string; readonly id: string };

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  /** The person who made the file, and who may differ from the author of the message. */
  readonly owner?: string;
  /**
   * What the file is, such as `the canvas Launch`, if an agent cannot get the file itself; absent for files that can be
   * passed on.
   */
  readonly closed?: string;
  /** Text that Slack shows of the file; `isCut` if it is only the beginning. */
  readonly words?: {
    readonly kind: 'preview' | 'transcript' | 'mail';
    readonly text: string;
    readonly author?: string;
    readonly isCut: boolean;
  };
  readonly type: string;
  readonly bytes: number;
  /**
   * Address of the content; a download needs the bot's token. Absent if the bridge must first ask Slack for the
   * address.
   */
  readonly url?: string;
}

/** A thread in which a person did something, and that person. */
export interface ThreadPlace {
  readonly user: string;
  readonly conversation: string;
  readonly threadTs: string;
}

/** An event of the Events API. */
export type SlackEvent =
  | { readonly kind: 'said'; readonly message: SlackMessage }
  | { readonly kind: 'edited'; readonly message: SlackMessage; readonly before: SlackMessage | undefined }
  | ({ readonly kind: 'deleted' } & Pick<SlackMessage, 'conversation' | 'ts' | 'threadTs'>)
  | ({ readonly kind: 'home-opened'; readonly tab: string } & Omit<ThreadPlace, 'threadTs'>)
  /**
   * Slack ended streams of the app, because a person pressed Slack's own Stop. `streams` contains their time stamps, and
   * `at` is the time stamp of the event.
   */
  | ({ readonly kind: 'stopped'; readonly streams: readonly string[]; readonly at?: string } & ThreadPlace)
  | ({ readonly kind: 'titled' } & ThreadPlace)
  /** A person opened a thread of the app's direct message. Only apps from before Slack's agent view receive this. */
  | ({ readonly kind: 'assistant-opened' } & Omit<ThreadPlace, 'user'>)
  /** Slack changed the id of a room. `at` is the time stamp of the event. */
  | { readonly kind: 'room-moved'; readonly from: string; readonly to: string; readonly at: string }
  /** An organization gave the app access to some of its workspaces, or took it away. */
  | { readonly kind: 'access-granted' | 'access-revoked'; readonly teams: readonly string[] }
  | { readonly kind: 'uninstalled' }
  /** Slack revoked tokens of the app's bot. Revoked tokens of people are not reported. */
  | { readonly kind: 'revoked' };

export type EventOf<Kind extends SlackEvent['kind']> = Extract<SlackEvent, { kind: Kind }>;

/** The person who pressed, typed or chose something, and the ways to answer that person. */
export interface Actor {
  readonly user: string;
  /** The person's own workspace, if Slack reports it. */
  readonly team?: string;
  /** Slack's trigger id, which opens a modal within 3 s of the act. */
  readonly trigger?: string;
  /** Secret address that accepts private messages to the person, for 30 min and at most 5 times. */
  readonly responseUrl?: string;
}

/** A person's use of one of the app's buttons, forms, shortcuts or commands. */
export type SlackAct = { readonly by: Actor } & (
  | {
      readonly kind: 'pressed';
      readonly action: SlackAction;
      readonly conversation?: string;
      /** The thread of the message that contains the button. */
      readonly threadTs?: string;
      readonly view?: SlackView;
    }
  | { readonly kind: 'submitted'; readonly view: SlackView }
  /** `message` is the message on which the person used the shortcut; absent for a global shortcut. */
  | { readonly kind: 'shortcut'; readonly message?: SlackMessage }
  | { readonly kind: 'command'; readonly text: string; readonly conversation: string }
);

export type ActOf<Kind extends SlackAct['kind']> = Extract<SlackAct, { kind: Kind }>;

export interface SlackAction {
  readonly id: string;
  /** The button's value, or the value of the chosen option. */
  readonly value: string;
  /** Time of the press. No two presses of one button have the same time. */
  readonly ts: string;
}

export interface SlackView {
  readonly id: string;
  readonly callback: string;
  /** Private metadata that Parley put into the form when opening it. */
  readonly metadata: string;
  /** The workspace that Parley noted in the form, if the whole organization installed the app. */
  readonly tenant?: string;
  /** Values of the form, by block and action. */
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
