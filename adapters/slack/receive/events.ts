/** Slack's events, decoded. Ids are Slack's own; a time stamp (`ts`) names a message in its conversation. */

/** A message as people wrote it, or as a conversation's history gives it. */
export interface SlackMessage {
  readonly conversation: string;
  /** Absent in mentions. */
  readonly conversationType?: string;
  readonly ts: string;
  /** The thread's first message; absent for a message that is in none. */
  readonly threadTs?: string;
  readonly user?: string;
  /** Set where an app wrote it, also in a person's name. */
  readonly bot?: string;
  /** Name that the posting app set for this message. */
  readonly name?: string;
  readonly app?: string;
  /** The writer's own workspace. */
  readonly team?: string;
  readonly subtype?: string;
  /** The older form of the words, in Slack's mrkdwn. */
  readonly text: string;
  /** Blocks and attachments are looked at where they become text. */
  readonly blocks: readonly unknown[];
  readonly attachments: readonly unknown[];
  readonly files: readonly SlackFile[];
  /** When it was edited last. */
  readonly edited?: string;
  readonly metadata?: SlackMetadata;
}

export interface SlackMetadata {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** Opens only with the bot's token; absent where Slack wants to be asked for it first. */
  readonly url?: string;
}

/** An event of the Events API. */
export type SlackEvent =
  | { readonly kind: 'said'; readonly message: SlackMessage }
  | { readonly kind: 'edited'; readonly message: SlackMessage; readonly before: SlackMessage | undefined }
  | {
      readonly kind: 'deleted';
      readonly conversation: string;
      readonly ts: string;
      readonly threadTs?: string;
    }
  | {
      readonly kind: 'home-opened';
      readonly user: string;
      readonly conversation: string;
      readonly tab: string;
    }
  | {
      readonly kind: 'stopped';
      readonly user: string;
      readonly conversation: string;
      readonly threadTs: string;
      /** Streams of ours that Slack ended. */
      readonly streams: readonly string[];
    }
  | {
      readonly kind: 'titled';
      readonly user: string;
      readonly conversation: string;
      readonly threadTs: string;
      readonly title: string;
    }
  /** A person opened an older app's assistant, which is a thread of the direct message. */
  | {
      readonly kind: 'assistant-opened';
      readonly conversation: string;
      readonly threadTs: string;
    }
  | { readonly kind: 'uninstalled' }
  /** Tokens of the app's bot were revoked; those of people do not matter here. */
  | { readonly kind: 'revoked' };

/** The person who pressed, typed or chose, and the ways to answer. */
export interface Actor {
  readonly user: string;
  /** The person's own workspace, where Slack tells. */
  readonly team?: string;
  /** Opens a modal within 3 s. */
  readonly trigger?: string;
  /** Answers in private, for 30 min and 5 times; a secret of its own. */
  readonly responseUrl?: string;
}

/** Something a person did with one of our buttons, forms, shortcuts or commands. */
export type SlackAct =
  | {
      readonly kind: 'pressed';
      readonly by: Actor;
      readonly action: SlackAction;
      readonly conversation?: string;
      /** Message of the button; only this identifies messages that one person sees. */
      readonly container: { readonly messageTs?: string; readonly threadTs?: string };
      /** The message that holds the button. */
      readonly message?: SlackMessage;
      readonly view?: SlackView;
    }
  | { readonly kind: 'submitted'; readonly by: Actor; readonly view: SlackView }
  | { readonly kind: 'closed'; readonly by: Actor; readonly view: SlackView }
  | {
      readonly kind: 'shortcut';
      readonly by: Actor;
      readonly callback: string;
      /** The message it was used on; absent for one that is used anywhere. */
      readonly message?: SlackMessage;
    }
  | {
      readonly kind: 'command';
      readonly by: Actor;
      readonly name: string;
      readonly text: string;
      readonly conversation: string;
    }
  | { readonly kind: 'options'; readonly by: Actor; readonly action: string; readonly value: string };

export interface SlackAction {
  readonly id: string;
  readonly block: string;
  readonly type: string;
  /** A button's value, or what was chosen. */
  readonly value: string;
  /** When it was pressed: unique for the button. */
  readonly ts: string;
}

export interface SlackView {
  readonly id: string;
  readonly callback: string;
  readonly hash: string;
  /** The form's private metadata, which Parley wrote. */
  readonly metadata: string;
  /** Values of the form, by block and action. */
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
