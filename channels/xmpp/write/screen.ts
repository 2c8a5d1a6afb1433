/** The screen of a reply on XMPP, as plain data without text. Stored with the turn. */

import type { Media, ReplyDocument } from 'parley/kit';
import type { LadderCall, LadderScreen } from 'parley/kit/ladder';

/** State of an image of the answer. `maybe`: it may have been sent, because the call's outcome is unknown. */
export type ImageState = 'sent' | 'failed' | 'maybe';

export interface XmppScreen extends LadderScreen {
  /** State of each image, by the id of the medium. */
  readonly images: Readonly<Record<string, ImageState>>;
}

export const BLANK: XmppScreen = { rung: 'edits', parts: [], finished: false, form: 'styled', images: {} };

export type TextCall = LadderCall<XmppScreen>;

export type OwnCall =
  /** Shows that the agent is composing (XEP-0085). */
  | { readonly kind: 'state'; readonly document: ReplyDocument }
  | {
      readonly kind: 'image';
      readonly document: ReplyDocument;
      readonly media: Media;
      readonly isAgain: boolean;
    }
  /** Deletes an image's message. */
  | { readonly kind: 'unsend'; readonly document: ReplyDocument; readonly id: string };

export type Call = TextCall | OwnCall;
export type Of<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;
