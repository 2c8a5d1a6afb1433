/** What a reply looks like in Teams, as plain data: ids, places and times, and nothing of what was said. */

import type { Begin, StreamState } from '../../../src/kit/emission.ts';
import { type Form, foreignPart, type ReplyPart } from '../../../src/kit/reply-part.ts';
import type { Screen } from '../../../src/kit.ts';
import { PART_CHARS } from '../render/message.ts';

/** How far a stream has come. */
export interface Emitted {
  readonly state: StreamState;
  /** Of the last call that Teams is known to have. */
  readonly sequence: number;
  /** Set while it shows what the agent does, and nothing of the answer: which line. */
  readonly line?: number;
  /** It may show less than we think, so that it is written again. */
  readonly again?: true;
  /** Teams takes no longer text: it ends where it is. */
  readonly full?: true;
}

/**
 * The card under a message's text. It is a separate message, because Teams splits a message with a text and a card in two
 * and then reports neither id.
 */
export interface Card {
  /** Absent: unconfirmed, or part of a stream's closing message that an earlier version sent. */
  readonly id?: string;
  /** Of what it shows. */
  readonly mark: number;
  readonly sure: boolean;
  /** Edits in a row whose outcome stayed unknown. */
  readonly failures: number;
  /** It may have been sent: it is sent again at the reply's end, and only once. */
  readonly doubted?: true;
  /** Teams takes no more edits of it. */
  readonly left?: true;
}

/** One message. Its looks are the numbers of sources that its marks show. */
export interface TeamsPart extends ReplyPart {
  /** Of a live stream. */
  readonly emitted?: Emitted;
  /** The turn whose stream a person stopped in it: it stays as it is, and another turn's answer stands elsewhere. */
  readonly stopped?: string;
  readonly card?: Card;
}

/** A message whose sending has an unknown outcome. */
export interface Lost {
  readonly begin: Begin;
  /** Whether it showed anything of the answer, so that a second one would say it twice. */
  readonly says: boolean;
  /** Milliseconds since the epoch: it was sent after that. */
  readonly since: number;
  /** Look-ups that did not find it. */
  readonly misses: number;
  /** Look-ups that did not work, since the reply is to end. */
  readonly failures: number;
  /** Nobody lets us look. */
  readonly blind?: true;
  /** It is the card of this part. */
  readonly card?: number;
}

export interface TeamsScreen extends Screen {
  readonly parts: readonly TeamsPart[];
  readonly lost?: Lost;
  /** The messages were removed, or the conversation is closed to us. */
  readonly gone?: true;
  /** No stream may be begun for this reply. */
  readonly streamless?: true;
  /** A message without a word of the answer may stand unconfirmed: no further one is sent that has none either. */
  readonly hushed?: true;
  /** The simplest form that Teams asked for when it refused a message. */
  readonly form: Form;
  /** UTF-16 units of text that a message may have: less after Teams found one too large. */
  readonly chars: number;
  /** Teams never confirmed a message that shows something of this answer, so that people may see it twice. */
  readonly unconfirmed?: true;
  /** Cards of a reply whose text a person took away. */
  readonly orphans?: readonly string[];
}

/** Whether a message may stand above that the bridge cannot reach, which is then said. */
export const isDoubtful = ({ unconfirmed, hushed }: TeamsScreen): boolean =>
  unconfirmed === true || hushed === true;

/** Fewer make no message smaller. */
export const MIN_CHARS = 2_500;

export const BLANK: TeamsScreen = {
  rung: 'edits',
  parts: [],
  finished: false,
  form: 'rich',
  chars: PART_CHARS,
};

/** A stored screen is one that this writer made; one of an earlier writer is taken over as far as it goes. */
export function own(screen: Screen): TeamsScreen {
  const parts = screen.parts.map((part): TeamsPart => ({ ...foreignPart(part), ...part }));
  return { ...BLANK, ...screen, parts };
}

/** Ids of the cards that stand by themselves. */
export const cardsOf = ({ parts }: TeamsScreen): readonly string[] =>
  parts.flatMap(({ card }) => card?.id ?? []);

export const isInside = ({ id, doubted }: Card): boolean => id === undefined && doubted === undefined;
