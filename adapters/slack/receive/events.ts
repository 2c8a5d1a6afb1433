/** Slack's decoded events. Ids are Slack's own; a time stamp (`ts`) identifies a message within its conversation. */

/** A message as people wrote it, or as a conversation's history returns it. */
export interface SlackMessage {
  readonly conversation: string;
  /** Absent in mentions. */
  readonly conversationType?: string;
  readonly ts: string;
  /** The thread's first message; absent for a message outside threads. */
  readonly threadTs?: string;
  readonly user?: string;
  /** Set if an app posted the message, even under a person's name. */
  readonly bot?: string;
  /** Name that the posting app set for this message. */
  readonly name?: string;
  /** The author's own workspace. */
  readonly team?: string;
  readonly subtype?: string;
  /** The text in Slack's older format, mrkdwn. */
  readonly text: string;
  /** Undecoded, like `attachments`: both are decoded when the message is converted to text. */
  readonly blocks: readonly unknown[];
  readonly attachments: readonly unknown[];
  readonly files: readonly SlackFile[];
  /** Time stamp of the last edit. */
  readonly edited?: string;
  /** Type of the metadata that the posting app attached. */
  readonly mark?: string;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** Opens only with the bot's token; absent if it must be requested from Slack first. */
  readonly url?: string;
}

/** A thread in which a person did something. */
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
  /** `streams` are the app's streams that Slack ended. */
  | ({ readonly kind: 'stopped'; readonly streams: readonly string[] } & ThreadPlace)
  | ({ readonly kind: 'titled' } & ThreadPlace)
  /** A person opened the assistant, a thread of the direct message, in an app from before the agent view. */
  | ({ readonly kind: 'assistant-opened' } & Omit<ThreadPlace, 'user'>)
  | { readonly kind: 'uninstalled' }
  /** Tokens of the app's bot were revoked. Revoked tokens of people are not reported. */
  | { readonly kind: 'revoked' };

export type EventOf<Kind extends SlackEvent['kind']> = Extract<SlackEvent, { kind: Kind }>;

/** The person who pressed, typed or chose, and the ways to answer them. */
export interface Actor {
  readonly user: string;
  /** The person's own workspace, if Slack reports it. */
  readonly team?: string;
  /** Opens a modal within 3 s. */
  readonly trigger?: string;
  /** Accepts private messages to the person, for 30 min and 5 times; a secret. */
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
  /** `message` is the one the shortcut was used on; absent for a global shortcut. */
  | { readonly kind: 'shortcut'; readonly message?: SlackMessage }
  | { readonly kind: 'command'; readonly text: string; readonly conversation: string }
);

export type ActOf<Kind extends SlackAct['kind']> = Extract<SlackAct, { kind: Kind }>;

export interface SlackAction {
  readonly id: string;
  /** A button's value, or the chosen option. */
  readonly value: string;
  /** Time of the press; unique for the button. */
  readonly ts: string;
}

export interface SlackView {
  readonly id: string;
  readonly callback: string;
  /** The form's private metadata, which Parley wrote. */
  readonly metadata: string;
  /** Values of the form, by block and action. */
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
