/**
 * The ladder's view of a channel whose messages are posted, edited and streamed. The ladder hands a surface only the
 * screens, parts and calls that this surface made, so an implementation may declare its own, richer types for them.
 */

import type { ReplyDocument } from '../../core/reply.ts';
import type { Move, Outcome, Part, Screen } from '../../core/screen.ts';
import type { Begin } from '../markdown/emission/cut.ts';
import type { StreamState } from '../markdown/emission/emission.ts';
import type { Emitter } from '../markdown/emission/emitter.ts';

/** The progress of a live stream. */
export interface Emitted {
  readonly state: StreamState;
  /** Set while the stream shows what the agent does and no word of the answer: which line. */
  readonly line?: number;
  /** It may show less than recorded, so its text is sent again. */
  readonly again?: true;
  /** The channel takes no longer text: the stream ends where it is. */
  readonly full?: true;
}

/** One message of a reply. Stored, so it holds no text; member names are those of stored screens. */
export interface LadderPart extends Part {
  /** The state of the source at `from`. */
  readonly begin: Begin;
  /** The beginning of the next message; set together with `to`. */
  readonly onward?: Begin;
  readonly emitted?: Emitted;
  /** Of the source that is shown, to know whether it was rewritten. */
  readonly hash: number;
  /** The adornments that are shown: everything that edits can change besides the text. */
  readonly looks: string;
  /** The richest is `rich`; each refusal moves to a simpler one (fault F22). */
  readonly form: string;
  /** Calls in a row that did not change the message: edits of unknown outcome, refused stops. */
  readonly failures: number;
  /** Accepted as the reply's end; what changes afterwards stands beside the text. */
  readonly ended?: true;
  /** The channel takes no more edits of it, so it stays as it is. */
  readonly left?: true;
  /** The channel refuses to stop the stream. */
  readonly stuck?: true;
  /** The turn whose stream a person stopped in it: another turn's answer stands elsewhere. */
  readonly stopped?: string;
}

/** A message whose making has an unknown outcome. */
export interface Lost {
  readonly begin: Begin;
  /** True if it may be a stream that is still open. */
  readonly live?: boolean;
  /** True if it showed text of the answer, so that a second message would show it twice. */
  readonly says: boolean;
  /** Milliseconds since the epoch: it was sent after that. */
  readonly since: number;
  /** Look-ups that did not find it. */
  readonly misses: number;
  /** Look-ups that failed since the reply is to end. */
  readonly failures: number;
  /** The channel permits no look-up. */
  readonly blind?: true;
  /** It is the card of this part. */
  readonly card?: number;
}

export interface LadderScreen extends Screen {
  readonly parts: readonly LadderPart[];
  readonly lost?: Lost;
  /** The messages were removed, or the room takes none of ours. */
  readonly gone?: true;
  /** No stream may begin for this reply. */
  readonly streamless?: true;
  /** A message without a word of the answer may stand unconfirmed, so no second one is sent. */
  readonly hushed?: true;
  /** A message with text of this answer was never confirmed, so people may see it twice. */
  readonly unconfirmed?: true;
  /** The simplest form that the channel asked for when it refused a post. */
  readonly form: string;
  /** Size that a message's text may have, once the channel's refusals can lower it. */
  readonly chars?: number;
}

export interface View<Screen extends LadderScreen = LadderScreen> {
  readonly screen: Screen;
  readonly document: ReplyDocument;
}

interface OfPart<Screen extends LadderScreen> extends View<Screen> {
  readonly index: number;
  readonly part: Screen['parts'][number];
}

/** One network call about a message's text, with all that is needed to make it. `to`: the message ends there. */
export type Call<Screen extends LadderScreen = LadderScreen> =
  | (View<Screen> & { readonly kind: 'start'; readonly begin: Begin; readonly to?: number })
  | (OfPart<Screen> & { readonly kind: 'append'; readonly to?: number })
  /**
   * end: the answer is whole. rotate: the next message goes on. late: edits go on in this message. repair: an edit
   * will correct it.
   */
  | (OfPart<Screen> & {
      readonly kind: 'stop';
      readonly why: 'end' | 'rotate' | 'late' | 'repair';
      readonly to?: number;
    })
  | (View<Screen> & {
      readonly kind: 'post';
      readonly index: number;
      readonly begin: Begin;
      readonly to?: number;
      readonly form: Screen['form'];
      readonly rung: 'edits' | 'once';
    })
  | (OfPart<Screen> & { readonly kind: 'update'; readonly to?: number })
  | (OfPart<Screen> & { readonly kind: 'delete' })
  /** Looks up a message of unknown outcome. `known`: ids that it cannot have. */
  | (View<Screen> & {
      readonly kind: 'find';
      readonly index: number;
      readonly lost: Lost;
      readonly known: readonly string[];
    });

export type Of<Kind extends Call['kind'], Screen extends LadderScreen = LadderScreen> = Extract<
  Call<Screen>,
  { kind: Kind }
>;

/** A message whose stream is open. */
export type LivePart = LadderPart & { readonly emitted: Emitted };

/** A call of the channel's own: a status, an upload, a card. Its kind is none of the ladder's. */
export interface OwnCall {
  readonly kind: string;
  readonly document: ReplyDocument;
  /** The part beside which the call makes a message, or changes the one with this id. */
  readonly part?: LadderPart;
  readonly id?: string;
}

/** `live`: what was looked up is a stream that may be open. A `find` without an id found no message. */
export type Result = Outcome | { readonly kind: 'done'; readonly id: string; readonly live: true };

/** Details of refusals that the ladder knows; other details are the channel's own. */
export const REFUSED = {
  /** A person stopped the stream, and its message stays as it is. */
  stopped: 'stopped',
  /** The stream has ended, and edits of its message are taken. */
  over: 'over',
  /** An edit of a stream that is still open. */
  stillLive: 'still-live',
  /** The text is too large in any form. */
  tooBig: 'too-big',
  /** A later call of the stream arrived first. */
  dropped: 'dropped',
} as const;

type Needs = NonNullable<Move['needs']>;

export type Way =
  | { readonly kind: 'stream' | 'edits' }
  /** A post that stays as it is and ends at `to`. */
  | { readonly kind: 'once'; readonly to: number };

export interface StreamSurface {
  /** Milliseconds that a stream is used, fewer than those after which the channel ends it. */
  readonly maxMs: number;
  /** An old stream ends, and the text goes on in the next message (`rotate`) or by edits (`late`). */
  readonly afterwards: 'rotate' | 'late';
  /** True if the call that ends a stream may wait for a budget while an append has one. */
  readonly appendsMeanwhile: boolean;
  /** The stream after its first call. */
  start(document: ReplyDocument, begin: Begin, to: number | undefined): Emitted;
  /** True if an append would show more. Runs on every delta. */
  hasNews(document: ReplyDocument, part: LivePart, to: number | undefined): boolean;
  /** The stream after an append. */
  advance(document: ReplyDocument, part: LivePart, to: number | undefined): Emitted;
  /** The stream after an append that is to be repeated; absent: an append cannot be repeated. */
  repeat?(document: ReplyDocument, part: LivePart, why: 'unknown' | 'dropped'): Emitted;
}

/** One per turn. Everything but `perform` is pure. */
export interface Surface {
  /** Calls that any reply reserves for its end. */
  readonly ends?: Needs;
  /** Budget family of each kind of call. */
  readonly families: Readonly<Record<Call['kind'], string>>;
  /** Calls that a reply reserves once it has begun in this way. */
  readonly needs?: Readonly<Record<'stream' | 'edits' | 'once', Needs>>;
  readonly emitter: Emitter;
  readonly stream: StreamSurface;
  /**
   * Messages of unknown outcome can be looked up: so many misses mean that there is none, so many failures that it
   * cannot be told. `always`: also when an earlier turn's reply goes on.
   */
  readonly search?: { readonly misses: number; readonly failures: number; readonly always: boolean };
  /** The form of a text that is posted anew after edits in every form were refused; absent: the screen's. */
  readonly anew?: string;
  /** Fewest characters that make a message smaller. */
  readonly leastChars?: number;
  blank(): LadderScreen;
  /** The screen as a process takes it over. */
  resumed(screen: LadderScreen): LadderScreen;
  /** The ways in which a running reply may go on in a further message, best first; none while it is better to wait. */
  ways(view: View, begin: Begin, now: number): readonly Way[];
  /** The place where a message or stream must end, never before what it shows; undefined if the rest fits. */
  cut(view: View, message: Pick<LadderPart, 'begin' | 'form' | 'live' | 'emitted'>): number | undefined;
  /** Identifies everything but the text that an edit could change. Runs on every delta, so it renders nothing. */
  adornments(view: View, part: LadderPart): string;
  /** The next simpler form for what was refused; undefined if there is none. */
  simpler(form: string, call: Of<'stop' | 'post' | 'update'>): string | undefined;
  /** A call that must come before a message is opened or deleted, or before a stream ends. */
  first?(what: 'post' | 'delete' | 'end', view: View, index: number): Move | undefined;
  /** The channel's own calls. `text`: the calls about the text that are wanted now, which go first. */
  besides(view: View, text: readonly Move[], now: number): readonly Move[];
  afterOwn(screen: LadderScreen, call: OwnCall, outcome: Outcome, now: number): LadderScreen;
  /** Adds to the screen what else a call about text did when it was done. */
  alsoDone?(screen: LadderScreen, call: Call): LadderScreen;
  /** The screen whose messages are gone. */
  remains(screen: LadderScreen, detail: string | undefined): LadderScreen;
  /** The card of the part `index` was looked up: found under this id, or not to be found. */
  card?(screen: LadderScreen, index: number, id: string | undefined): LadderScreen;
  perform(call: Call | OwnCall, signal: AbortSignal): Promise<Result>;
}
