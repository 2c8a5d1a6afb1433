/** State of a reply in Teams, as plain data without text: ids, positions and times. Stored with the turn. */

import type {
  Emitted as BaseEmitted,
  LadderCall,
  LadderPart,
  LadderScreen,
  LivePart,
} from '../../../src/kit/ladder.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import { PART_CHARS } from '../render/message.ts';
import type { Form } from '../render/render-context.ts';

/** How far a stream has been written. */
export interface Emitted extends BaseEmitted {
  /** Sequence number of the last call that Teams has certainly received. */
  readonly sequence: number;
}

/**
 * The card under a message's text. It is a message of its own: if one message has a text and a card, Teams splits it in
 * two and reports neither id.
 */
export interface Card {
  /**
   * Absent if sending the card is not confirmed, or if an earlier version of the bridge sent it inside a stream's
   * closing message.
   */
  readonly id?: string;
  /** Hash of the card's content. */
  readonly mark: number;
  /** True if Teams has confirmed that the card shows this content. */
  readonly sure: boolean;
  /** Number of consecutive edits whose outcome is unknown. */
  readonly failures: number;
  /**
   * Set if the outcome of sending the card is unknown, and the look-up did not find the card. It is then sent once
   * more, at the end of the reply.
   */
  readonly doubted?: true;
  /** Set if Teams accepts no more edits of the card, for example because a person deleted it. */
  readonly left?: true;
}

export interface TeamsPart extends LadderPart {
  readonly form: Form;
  readonly emitted?: Emitted;
  readonly card?: Card;
}

/** A message with an open stream. */
export type TeamsLivePart = TeamsPart & { readonly emitted: Emitted };
export type TeamsLive = LivePart & TeamsPart & { readonly emitted: Emitted };

export interface TeamsScreen extends LadderScreen {
  readonly parts: readonly TeamsPart[];
  readonly form: Form;
  /** Maximum UTF-16 units of a message's text. Lowered when Teams refuses a message as too large. */
  readonly chars: number;
  /** Ids of cards to delete, because a person deleted the text above them. */
  readonly orphans?: readonly string[];
}

export const BLANK: TeamsScreen = {
  rung: 'edits',
  parts: [],
  finished: false,
  form: 'rich',
  chars: PART_CHARS,
};

/**
 * True if people may see a message twice, because Teams did not confirm it and the bridge cannot find it. The reply
 * then says so.
 */
export const mayBeDuplicate = ({ unconfirmed, hushed }: TeamsScreen): boolean =>
  unconfirmed === true || hushed === true;

type TextCall = LadderCall<TeamsScreen>;

/**
 * Calls other than those for the text. `mark` is the hash of the card's new content; `to` is the end of the text above
 * the card.
 */
export type SideCall = { readonly document: ReplyDocument } & (
  | { readonly kind: 'typing' }
  /** Repeats what a silent stream shows. */
  | { readonly kind: 'alive'; readonly index: number; readonly part: TeamsLivePart }
  | {
      readonly kind: 'card';
      readonly screen: TeamsScreen;
      readonly index: number;
      readonly part: TeamsPart;
      readonly id?: string;
      readonly mark: number;
      readonly to?: number;
    }
  | { readonly kind: 'uncard'; readonly id: string }
);

export type Call = TextCall | SideCall;
export type Of<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

/**
 * Returns the screen with `beside`, the ids of its cards. These ids are stored so that another process can find the
 * cards.
 */
export function withCards(screen: TeamsScreen, parts = screen.parts): TeamsScreen {
  const { beside: _, ...rest } = screen;
  const beside = parts.flatMap(({ card }) => card?.id ?? []);
  return { ...rest, parts, ...(beside.length > 0 && { beside }) };
}
