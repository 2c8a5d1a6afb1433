/**
 * Describes to the ladder a channel whose messages are posted, edited and streamed. The ladder passes a surface only
 * the screens, parts and calls that this surface created, so an implementation may declare more precise types for
 * them.
 */

import type { ReplyDocument } from '../../core/reply.ts';
import type { Move, Outcome, Part, Screen } from '../../core/screen.ts';
import type { StreamState } from '../markdown/emission/emission.ts';
import type { Begin, Emitter } from '../markdown/emission/emitter.ts';

/** The content that a live stream shows. */
export interface Emitted {
  readonly state: StreamState;
  /** Identifies the line of steps that the stream shows; absent once the stream shows text of the answer. */
  readonly line?: number;
  /** Set if the stream may show less than was recorded. The uncertain text is then sent again. */
  readonly again?: true;
  /** Set once the channel refused a longer text. The stream then ends with its current content. */
  readonly full?: true;
}

/**
 * One message of a reply. It is stored, so it contains no text of the answer, and its property names must not change.
 */
export interface LadderPart extends Part {
  /** The Markdown state at `from`: which constructs are open there. */
  readonly begin: Begin;
  /** How the next message begins; set together with `to`. */
  readonly onward?: Begin;
  readonly emitted?: Emitted;
  /** Hash of the Markdown source of the shown text, to detect rewrites. */
  readonly hash: number;
  /** Key for everything, besides the text, that an edit can change in the message, such as buttons. */
  readonly looks: string;
  /** Format of the message: `rich` is the richest. Each refusal of its format leads to a simpler one (fault F22). */
  readonly form: string;
  /**
   * Number of consecutive calls that did not change the message: edits of unknown outcome, or refused attempts to
   * stop its stream.
   */
  readonly failures: number;
  /** Set once the channel accepted the end of the reply in this message. Later changes are shown outside its text. */
  readonly ended?: true;
  /** Set if the channel accepts no more edits of the message, which then stays as it is. */
  readonly left?: true;
  /**
   * Set if the bridge may have deleted the message itself: a call to delete it got no response, or an earlier process
   * may have sent such a call. If the message turns out to be gone, its text is posted again.
   */
  readonly maybeDeleted?: true;
  /** Set if the channel refuses to stop the stream. */
  readonly stuck?: true;
  /** The turn whose stream a person stopped in this message. The answers of other turns go into a new message. */
  readonly stopped?: string;
}

/** A message whose post has an unknown outcome. */
export interface Lost {
  readonly begin: Begin;
  /** True if the message may be a stream that is still open. */
  readonly live?: boolean;
  /** True if the post contained text of the answer, so that posting it again would show the text twice. */
  readonly says: boolean;
  /** Earliest time at which the message may have been posted, in milliseconds since the epoch. */
  readonly since: number;
  /** Number of look-ups that did not find the message. */
  readonly misses: number;
  /** Number of look-ups that failed after the document became final. */
  readonly failures: number;
  /** Set if the channel does not permit look-ups. */
  readonly blind?: true;
  /**
   * Set if the look-up seeks messages that calls of unknown outcome have left beside the reply: every message that names
   * the reply and is not known. Each one is deleted.
   */
  readonly stray?: true;
  /** Index of the part to which the message belongs if it is a card; absent for a message with text. */
  readonly card?: number;
  /** Hash of the posted text, from `Surface.textMark`; absent if the posting process ended before it stored one. */
  readonly mark?: number;
}

export interface LadderScreen extends Screen {
  readonly parts: readonly LadderPart[];
  readonly lost?: Lost;
  /** Set if people deleted the messages, or if the channel no longer lets the app write in the room. */
  readonly gone?: true;
  /** Set once the outcome of a post was unknown, so that the post may take effect later. */
  readonly doubted?: true;
  /** Set if this reply must not start a stream. */
  readonly streamless?: true;
  /**
   * Set if an unconfirmed message without text of the answer may exist. No second message of this kind is then
   * posted.
   */
  readonly hushed?: true;
  /** Set if a post with text of the answer was never confirmed, so that people may see the text twice. */
  readonly unconfirmed?: true;
  /** Format in which new messages are posted. Each refusal of a format by the channel leads to a simpler one. */
  readonly form: string;
  /** Maximum size of a message's text. Absent if refusals of the channel cannot lower it. */
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

/** One network call about a message's text, with its arguments. `to` is the offset at which the message ends. */
export type Call<Screen extends LadderScreen = LadderScreen> =
  | (View<Screen> & { readonly kind: 'start'; readonly begin: Begin; readonly to?: number })
  | (OfPart<Screen> & { readonly kind: 'append'; readonly to?: number })
  /**
   * Why the stream is stopped. `end`: the answer is complete. `rotate`: the text continues in the next message.
   * `late`: edits of this message add the remaining text. `repair`: an edit will correct the message.
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
  /**
   * Looks up a message whose post has an unknown outcome. `known`: ids of other messages. The message that is found
   * must have none of these ids.
   */
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

/**
 * A call that only this channel has, such as a status, an upload or a card. Its `kind` differs from every `kind` of a
 * ladder's call.
 */
export interface OwnCall {
  readonly kind: string;
  readonly document: ReplyDocument;
  /** The part for which the call creates an additional message, or changes it if `id` is set. */
  readonly part?: LadderPart;
  readonly id?: string;
}

/**
 * The result of a call. `live`: a look-up found a stream that may still be open. If the result of a look-up is `done`
 * without an id, no message was found.
 */
export type Result = Outcome | { readonly kind: 'done'; readonly id: string; readonly live: true };

/**
 * Reasons for which a channel refuses a call and which the ladder handles. Other reasons are specific to the channel.
 */
export const REFUSED = {
  /** A person stopped the stream, so its message must not change any more. */
  stopped: 'stopped',
  /** The stream has ended; its message can be edited. */
  over: 'over',
  /** The stream is still open, so its message cannot be edited. */
  stillLive: 'still-live',
  /** The text is too large in every format. */
  tooBig: 'too-big',
  /** A later call of the same stream arrived before this one. */
  dropped: 'dropped',
  /** The channel refused every call about the message for a while. Its text is posted again as a new message. */
  unwritable: 'unwritable',
} as const;

type Needs = NonNullable<Move['needs']>;

export type OpeningWay =
  | { readonly kind: 'stream' | 'edits' }
  /** A post that contains the text up to `to` and is not edited later. */
  | { readonly kind: 'once'; readonly to: number };

export interface StreamSurface {
  /** Milliseconds after which the ladder ends a stream; must be less than the channel's own limit. */
  readonly maxMs: number;
  /** How the text continues after `maxMs`: in the next message (`rotate`) or by edits of this one (`late`). */
  readonly afterwards: 'rotate' | 'late';
  /** True if text may still be appended while the call that ends the stream waits for a permit. */
  readonly appendsMeanwhile: boolean;
  /** Returns what the stream shows after its first call. */
  start(document: ReplyDocument, begin: Begin, to: number | undefined): Emitted;
  /** True if an append would show more text. Called for every piece of text that arrives, so it must be fast. */
  hasNews(document: ReplyDocument, part: LivePart, to: number | undefined): boolean;
  /** Returns what the stream shows after an append. */
  advance(document: ReplyDocument, part: LivePart, to: number | undefined): Emitted;
  /**
   * Returns the stream with its last append marked to be sent again. Absent if the channel cannot accept an append
   * twice.
   */
  repeat?(document: ReplyDocument, part: LivePart, why: 'unknown' | 'dropped'): Emitted;
}

/** Describes one channel to the ladder; created for each turn. All functions except `perform` are pure. */
export interface Surface {
  /** Calls that every reply reserves for its end. */
  readonly ends?: Needs;
  /** Rate-limit family of each kind of call. */
  readonly families: Readonly<Record<Call['kind'], string>>;
  /** Calls that a reply reserves once it is shown as a stream, by edits, or by one post. */
  readonly needs?: Readonly<Record<'stream' | 'edits' | 'once', Needs>>;
  readonly emitter: Emitter;
  readonly stream: StreamSurface;
  /**
   * Set if messages of unknown outcome can be looked up. After `misses` look-ups without a result, the message counts
   * as not posted; after `failures` failed look-ups, its outcome stays unknown. `always`: also look up when a later
   * turn continues or repairs the reply; the channel's messages must then name their reply.
   */
  readonly search?: { readonly misses: number; readonly failures: number; readonly always: boolean };
  /**
   * Format in which a text is posted again after the channel refused its edits in every format. If absent, the screen's
   * `form` applies.
   */
  readonly anew?: string;
  /** True if no message may be edited while the answer is written. All edits then wait for its end. */
  readonly editsAtEnd?: boolean;
  /** True if a message that shows a part of the answer is deleted once the whole answer had to be posted below it. */
  readonly deletesHalves?: true;
  /** Minimum value of `chars`, because shortening the text further would not help. */
  readonly leastChars?: number;
  blank(): LadderScreen;
  /** Returns the screen for a process that resumes the turn. */
  resumed(screen: LadderScreen): LadderScreen;
  /**
   * Returns how the next message of a running reply may be opened, best first. Returns an empty list if it is better
   * to wait for more text.
   */
  ways(view: View, begin: Begin, now: number): readonly OpeningWay[];
  /**
   * Returns the offset at which a message or stream must end, never before the end of its shown text; undefined if all
   * remaining text fits.
   */
  cut(
    view: View,
    message: Pick<LadderPart, 'begin' | 'form' | 'live' | 'emitted' | 'shown'>,
  ): number | undefined;
  /**
   * Returns a key that changes whenever an edit could change anything in the message besides its text. Called for
   * every piece of text that arrives, so it must not render anything.
   */
  editableKey(view: View, part: LadderPart): string;
  /** Returns the next simpler format after a refusal; undefined if there is none. */
  simpler(form: string, call: Of<'stop' | 'post' | 'update'>): string | undefined;
  /** Returns a call that must be made before a message is opened or deleted, or before a stream ends. */
  first?(what: 'post' | 'delete' | 'end', view: View, index: number): Move | undefined;
  /**
   * Returns the pending calls of kinds that only this channel has. `text` contains the pending calls about the text,
   * which precede the returned calls.
   */
  ownCalls(view: View, text: readonly Move[], now: number): readonly Move[];
  afterOwn(screen: LadderScreen, call: OwnCall, outcome: Outcome, now: number): LadderScreen;
  /**
   * Adds to the screen the further effects that a successful call about text has in this channel. In Slack, for
   * example, the call that ends a stream can also clear the thread's status.
   */
  alsoDone?(screen: LadderScreen, call: Call): LadderScreen;
  /** Returns the screen of a reply whose messages were deleted, or whose room is closed to the app. */
  afterGone(screen: LadderScreen, detail: string | undefined): LadderScreen;
  /** Returns a hash of the text that the call posts, by which a look-up recognizes the message. */
  textMark?(call: Of<'post'>): number;
  /** Returns the screen after looking up the card of part `index`; `id` is undefined if the card was not found. */
  card?(screen: LadderScreen, index: number, id: string | undefined): LadderScreen;
  perform(call: Call | OwnCall, signal: AbortSignal): Promise<Result>;
}
