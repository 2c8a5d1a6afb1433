/** The screen of a reply in Teams, as plain data without text: ids, places and times. Stored with the turn. */

import type {
  Emitted as BaseEmitted,
  LadderCall,
  LadderPart,
  LadderScreen,
  LivePart,
  ReplyDocument,
} from '../../../src/kit.ts';
import type { Form } from '../render/look.ts';
import { PART_CHARS } from '../render/message.ts';

/** The progress of a stream. */
export interface Emitted extends BaseEmitted {
  /** Sequence number of the last call that Teams is known to have received. */
  readonly sequence: number;
}

/**
 * The card under a message's text. It is a separate message, because Teams splits a message with a text and a card in two
 * and then reports neither id.
 */
export interface Card {
  /** Absent: unconfirmed, or part of a stream's closing message that an earlier version sent. */
  readonly id?: string;
  /** Hash of the card's content. */
  readonly mark: number;
  /** True if Teams confirmed that the card shows this content. */
  readonly sure: boolean;
  /** Edits in a row whose outcome stayed unknown. */
  readonly failures: number;
  /** Set if the card may exist but was not found. It is then sent again once, at the reply's end. */
  readonly doubted?: true;
  /** Set if Teams accepts no more edits of the card. */
  readonly left?: true;
}

export interface TeamsPart extends LadderPart {
  readonly form: Form;
  readonly emitted?: Emitted;
  readonly card?: Card;
}

export type TeamsLive = LivePart & TeamsPart & { readonly emitted: Emitted };

export interface TeamsScreen extends LadderScreen {
  readonly parts: readonly TeamsPart[];
  readonly form: Form;
  /** Maximum UTF-16 units of a message's text; lowered when Teams refuses one as too large. */
  readonly chars: number;
  /** Cards of a reply whose text a person deleted. */
  readonly orphans?: readonly string[];
}

export const BLANK: TeamsScreen = {
  rung: 'edits',
  parts: [],
  finished: false,
  form: 'rich',
  chars: PART_CHARS,
};

/** True if an unreachable message may exist above the reply; the reply then says so. */
export const mayBeDuplicate = ({ unconfirmed, hushed }: TeamsScreen): boolean =>
  unconfirmed === true || hushed === true;

type TextCall = LadderCall<TeamsScreen>;

/** Calls other than those for the text. `mark`: hash of the card's new content. `to`: end of the part's text. */
export type SideCall =
  | { readonly kind: 'typing'; readonly document: ReplyDocument }
  | {
      readonly kind: 'card';
      readonly document: ReplyDocument;
      readonly screen: TeamsScreen;
      readonly index: number;
      readonly part: TeamsPart;
      readonly id?: string;
      readonly mark: number;
      readonly to?: number;
    }
  | { readonly kind: 'uncard'; readonly document: ReplyDocument; readonly id: string };

export type Call = TextCall | SideCall;
export type Of<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

/** Returns the screen with `beside`: the ids of its cards, recorded so that another process can find the cards. */
export function withCards(screen: TeamsScreen, parts = screen.parts): TeamsScreen {
  const { beside: _, ...rest } = screen;
  const beside = parts.flatMap(({ card }) => card?.id ?? []);
  return { ...rest, parts, ...(beside.length > 0 && { beside }) };
}
