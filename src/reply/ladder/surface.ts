/**
 * The ladder's view of a channel whose messages are posted, edited and streamed. The ladder passes a surface
 * only the screens, parts and calls that this surface created, so an implementation may declare richer types
 * for them.
 */

import type { ReplyDocument } from '../../core/reply.ts';
import type { Move, Outcome, Part, Screen } from '../../core/screen.ts';
import type { StreamState } from '../markdown/emission/emission.ts';
import type { Begin, Emitter } from '../markdown/emission/emitter.ts';

/** The progress of a live stream. */
export interface Emitted {
  readonly state: StreamState;
  /** Identifies the line of steps that the stream shows; absent once it shows text of the answer. */
  readonly line?: number;
  /** Set if the stream may show less than was recorded, so that this text is sent again. */
  readonly again?: true;
  /** Set once the channel refused a longer text: the stream ends with its current content. */
  readonly full?: true;
}

/** One message of a reply. Stored, so it contains no text, and its member names must not change. */
export interface LadderPart extends Part {
  /** The state of the emission at `from`. */
  readonly begin: Begin;
  /** The beginning of the next message; set together with `to`. */
  readonly onward?: Begin;
  readonly emitted?: Emitted;
  /** Hash of the source that is shown, to detect rewrites. */
  readonly hash: number;
  /** The adornments that are shown: everything that edits can change besides the text. */
  readonly looks: string;
  /** The form of the message: `rich` is the richest, and each refusal moves to a simpler one (fault F22). */
  readonly form: string;
  /**
   * Number of consecutive calls that did not change the message: edits with unknown outcome, refused stops.
   */
  readonly failures: number;
  /** Set once the channel accepted the reply's end in this message; later changes are shown outside its text. */
  readonly ended?: true;
  /** Set if the message accepts no more edits and is left unchanged. */
  readonly left?: true;
  /** Set if the channel refuses to stop the stream. */
  readonly stuck?: true;
  /**
   * The turn whose stream a person stopped in this message. The answer of any other turn goes into a new
   * message.
   */
  readonly stopped?: string;
}

/** A message whose post has an unknown outcome. */
export interface Lost {
  readonly begin: Begin;
  /** True if the message may be a stream that is still open. */
  readonly live?: boolean;
  /** True if the message showed text of the answer, so that sending it again would duplicate the text. */
  readonly says: boolean;
  /** Earliest time at which the message was sent, in milliseconds since the epoch. */
  readonly since: number;
  /** Number of look-ups that did not find the message. */
  readonly misses: number;
  /** Number of look-ups that failed since the document became final. */
  readonly failures: number;
  /** Set if the channel does not permit look-ups. */
  readonly blind?: true;
  /** Index of the part that this card belongs to; absent for a message with text. */
  readonly card?: number;
}

export interface LadderScreen extends Screen {
  readonly parts: readonly LadderPart[];
  readonly lost?: Lost;
  /** Set if the messages were removed, or if the room accepts no messages from the app. */
  readonly gone?: true;
  /** Set if this reply must not start a stream. */
  readonly streamless?: true;
  /** Set if an unconfirmed message without text of the answer may exist; no second one is sent. */
  readonly hushed?: true;
  /** Set if a message with text of the answer was never confirmed, so that people may see it twice. */
  readonly unconfirmed?: true;
  /** The simplest form that the channel required when it refused a post. */
  readonly form: string;
  /** Maximum size of a message's text, if the channel's refusals can lower it. */
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

/** One network call about a message's text, with its arguments. `to`: offset at which the message ends. */
export type Call<Screen extends LadderScreen = LadderScreen> =
  | (View<Screen> & { readonly kind: 'start'; readonly begin: Begin; readonly to?: number })
  | (OfPart<Screen> & { readonly kind: 'append'; readonly to?: number })
  /**
   * `end`: the answer is complete. `rotate`: the text continues in the next message. `late`: edits of this
   * message show the rest. `repair`: an edit will correct the message.
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

/** A channel-specific call: a status, an upload, a card. Its `kind` differs from all of the ladder's. */
export interface OwnCall {
  readonly kind: string;
  readonly document: ReplyDocument;
  /** The part whose additional message the call creates, or changes if `id` is set. */
  readonly part?: LadderPart;
  readonly id?: string;
}

/** `live`: the look-up found a stream that may still be open. A `find` without an id found no message. */
export type Result = Outcome | { readonly kind: 'done'; readonly id: string; readonly live: true };

/** Reasons for refusals that the ladder handles; other reasons are specific to the channel. */
export const REFUSED = {
  /** A person stopped the stream; its message must not be changed. */
  stopped: 'stopped',
  /** The stream has ended; its message accepts edits. */
  over: 'over',
  /** The stream is still open, so its message accepts no edit. */
  stillLive: 'still-live',
  /** The text is too large in any form. */
  tooBig: 'too-big',
  /** A later call of the stream arrived first. */
  dropped: 'dropped',
} as const;

type Needs = NonNullable<Move['needs']>;

export type Way =
  | { readonly kind: 'stream' | 'edits' }
  /** A post that is not edited later and ends at `to`. */
  | { readonly kind: 'once'; readonly to: number };

export interface StreamSurface {
  /** Milliseconds after which the ladder ends a stream; must be less than the channel's own limit. */
  readonly maxMs: number;
  /** After `maxMs`, the text continues in the next message (`rotate`) or by edits of this one (`late`). */
  readonly afterwards: 'rotate' | 'late';
  /** True if appends may continue while the call that ends the stream waits for its rate limit. */
  readonly appendsMeanwhile: boolean;
  /** Returns the stream after its first call. */
  start(document: ReplyDocument, begin: Begin, to: number | undefined): Emitted;
  /** True if an append would show more text. Called on every delta. */
  hasNews(document: ReplyDocument, part: LivePart, to: number | undefined): boolean;
  /** Returns the stream after an append. */
  advance(document: ReplyDocument, part: LivePart, to: number | undefined): Emitted;
  /** Returns the stream with its last append marked for repetition. Absent if appends cannot be repeated. */
  repeat?(document: ReplyDocument, part: LivePart, why: 'unknown' | 'dropped'): Emitted;
}

/** The channel's side of the ladder, one per turn. All functions except `perform` are pure. */
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
   * Present if messages with unknown outcome can be looked up. After `misses` look-ups without a result, the
   * message does not exist; after `failures` failed look-ups, this stays unknown. `always`: look up also when
   * a reply of an earlier turn continues.
   */
  readonly search?: { readonly misses: number; readonly failures: number; readonly always: boolean };
  /**
   * Form of a text that is posted again after edits in every form were refused; if absent, the screen's form
   * is used.
   */
  readonly anew?: string;
  /** Minimum value of `chars`: shortening the text further does not help. */
  readonly leastChars?: number;
  blank(): LadderScreen;
  /** Returns the screen for a process that resumes the turn. */
  resumed(screen: LadderScreen): LadderScreen;
  /**
   * Returns the ways to open the next message of a running reply, best first; an empty list while it is
   * better to wait.
   */
  ways(view: View, begin: Begin, now: number): readonly Way[];
  /**
   * Returns the place where a message or stream must end, never before the text that it shows; undefined if the rest
   * fits.
   */
  cut(view: View, message: Pick<LadderPart, 'begin' | 'form' | 'live' | 'emitted'>): number | undefined;
  /**
   * Returns a key that changes when an edit could change anything except the text. Called on every delta, so
   * it must not render anything.
   */
  adornments(view: View, part: LadderPart): string;
  /** Returns the next simpler form after a refusal; undefined if there is none. */
  simpler(form: string, call: Of<'stop' | 'post' | 'update'>): string | undefined;
  /** Returns a call that must come before a message is opened or deleted, or before a stream ends. */
  first?(what: 'post' | 'delete' | 'end', view: View, index: number): Move | undefined;
  /** Returns the channel's own calls. `text`: the pending calls about the text, which take precedence. */
  besides(view: View, text: readonly Move[], now: number): readonly Move[];
  afterOwn(screen: LadderScreen, call: OwnCall, outcome: Outcome, now: number): LadderScreen;
  /** Records further effects of a successful call about text. */
  alsoDone?(screen: LadderScreen, call: Call): LadderScreen;
  /** Returns the screen of a reply whose messages are gone. */
  remains(screen: LadderScreen, detail: string | undefined): LadderScreen;
  /**
   * Records the result of looking up the card of part `index`; `id` is undefined if the card was not found.
   */
  card?(screen: LadderScreen, index: number, id: string | undefined): LadderScreen;
  perform(call: Call | OwnCall, signal: AbortSignal): Promise<Result>;
}
