import type { Exchange, OpenedMedia } from './agent.ts';
import type { Clock } from './clock.ts';
import type { AgentName, TurnId } from './ids.ts';
import type { FileRef, Message, Origin, Person, ThreadRef, Verdict } from './message.ts';
import type { Media, ReplyDocument } from './reply.ts';
import type { Move, Outcome, Screen } from './screen.ts';
import type { Keyed } from './stores.ts';
import type { Turn } from './turn.ts';
import type { CoreEvent } from './witness.ts';

/** The adapter's half of pacing. `next`, `after` and `resume` are pure. */
export interface ReplyWriter {
  /** Calls that any reply needs for its end at the least, by family: held for it from its beginning. */
  readonly ends?: Readonly<Record<string, number>>;
  /** A screen on which nothing is shown yet. */
  blank(): Screen;
  /**
   * The calls of which any one would bring the screen nearer the document, the best first: the budgets decide which
   * is made. None when the screen shows the whole document, or when it is better to wait for more text.
   */
  next(screen: Screen, document: ReplyDocument, now: number): readonly Move[];
  /** What the screen is after the call; the only place where a rung changes. */
  after(screen: Screen, move: Move, outcome: Outcome, now: number): Screen;
  perform(move: Move, signal: AbortSignal): Promise<Outcome>;
  /** After a takeover: nothing is sure any more. */
  resume(screen: Screen): Screen;
}

/** What a person did that the bridge must act on. */
export type Intake =
  | { readonly kind: 'ask'; readonly origin: Origin; readonly message: Message }
  /** Ends the thread's running turn, or the named one. Never queues. */
  | { readonly kind: 'stop'; readonly thread: ThreadRef; readonly turn?: TurnId; readonly by: Person }
  /**
   * A question was written anew: `message` has the same id and a higher revision. It supersedes what was asked
   * before, in the same reply. `fresh`: asked also where no earlier revision was, because the edit put the mention in.
   */
  | { readonly kind: 'edit'; readonly message: Message; readonly fresh?: boolean }
  /** The question with this message id was deleted: its replies are taken away. */
  | { readonly kind: 'delete'; readonly thread: ThreadRef; readonly message: string; readonly by?: Person }
  /** Another version of a reply of the thread is to be shown; `key` is the channel's unique id of the press. */
  | {
      readonly kind: 'show';
      readonly thread: ThreadRef;
      readonly turn: TurnId;
      readonly edition: number;
      readonly by: Person;
      readonly key: string;
    }
  /** What a person thinks of a version; the newest counts, `none` takes it back. `turn` is the document's. */
  | {
      readonly kind: 'feedback';
      readonly thread: ThreadRef;
      readonly turn: TurnId;
      readonly by: Person;
      readonly verdict: Verdict;
      readonly note?: string;
    };

export type Kept =
  | { readonly kind: 'kept'; readonly turn: TurnId; readonly ahead: number }
  | { readonly kind: 'duplicate'; readonly turn: TurnId }
  /** Nothing was kept; `tellUser` is the sentence to show. */
  | { readonly kind: 'refused'; readonly tellUser: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'nothing-to-stop' }
  /** Done as asked, without a turn: a deletion, feedback. */
  | { readonly kind: 'noted' }
  /** It concerns nothing that the bridge knows: an edit or a deletion of what was never asked, or of a text that stayed. */
  | { readonly kind: 'nothing' };

/** An agent as people may see it. */
export interface AgentCard {
  readonly name: AgentName;
  readonly description: string;
  readonly seesImages: boolean;
}

/** A handler on the bridge's one HTTP server; it reads the raw body itself. */
export type Handler<Request, Response> = (request: Request, response: Response) => void;

export interface Log {
  debug(facts: Readonly<Record<string, unknown>>, text: string): void;
  info(facts: Readonly<Record<string, unknown>>, text: string): void;
  warn(facts: Readonly<Record<string, unknown>>, text: string): void;
  error(facts: Readonly<Record<string, unknown>>, text: string): void;
}

/** A call that is no move of a reply: a note, a reaction, a form. */
export interface SideCall {
  readonly tenant: string;
  /** Empty where the call is made in none. */
  readonly room: string;
  /** Unique in the tenant; absent: the room is one thread. */
  readonly thread?: string;
  readonly family: string;
}

/** Leave for one such call. */
export interface SideLeave {
  /**
   * Whatever became of it: the channel answered, or it was given up. `refusedMs`: the channel refused it for its rate,
   * and wants to be left alone for so long.
   */
  answered(refusedMs?: number): void;
}

/** What the bridge does for an adapter. `Request` and `Response` are those of node:http, which the core does not name. */
export interface AdapterHost<Request, Response> {
  /** Resolves only after the event is on disk; the adapter acknowledges after that. */
  intake(event: Intake): Promise<Kept>;
  /** Serves everything under `path` (which the handler sees removed from the address). */
  mount(path: string, handler: Handler<Request, Response>): void;
  /** A signed address under which the viewer's browser can load an image of an answer; it expires. */
  link(
    media: Media,
    from: { readonly turn: TurnId; readonly agent: AgentName; readonly account?: string },
  ): string;
  /** Whether it still waits for its turn. Rejects with `store-unavailable`. */
  waits(turn: TurnId): Promise<boolean>;
  /** What the bridge did for a reply, oldest first. */
  receipt(turn: TurnId): Promise<readonly CoreEvent[]>;
  agents(): readonly AgentCard[];
  readonly state: Keyed;
  /** As `state`, with values that are encrypted on disk: under PARLEY_KEY, else under a key in the data folder. */
  readonly secrets: Keyed;
  /** Deletes everything that is kept of a workspace of this channel, because it removed the app. */
  forgetTenant(tenant: string): Promise<void>;
  /** Deletes everything that is kept of one room, because the app was taken out of it. */
  forgetRoom(tenant: string, room: string): Promise<void>;
  /** A finished reply of the thread as it was shown, for 24 hours. What a press names may be of anywhere. */
  reply(turn: TurnId, thread: ThreadRef): Promise<ReplyDocument | undefined>;
  /** Bytes of an image or file of an answer, at most 20 MiB. Throws `media-unavailable`. */
  openMedia(
    media: Media,
    from: { readonly turn: TurnId; readonly agent: AgentName; readonly account?: string },
    signal: AbortSignal,
  ): Promise<OpenedMedia>;
  /** True once the bridge was asked to stop: what is not kept yet is better sent again, to the next process. */
  closing(): boolean;
  /**
   * Leave for a call that is no move of a reply. It waits its turn for what no reply holds, `waitMs` at most; nothing
   * where it did not come. Rejects with the signal's reason.
   */
  leave(call: SideCall, waitMs: number, signal: AbortSignal): Promise<SideLeave | undefined>;
  /** For a call that cannot wait, as a form that is to open within seconds: it is counted, whatever is allowed. */
  leaveAtOnce(call: SideCall): SideLeave;
  readonly log: Log;
  readonly clock: Clock;
}

/** How many calls a family may make into one room: so many a second, after a rest so many at once. */
export interface RoomRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** So many calls in any stretch of so many milliseconds. */
export interface CallWindow {
  readonly calls: number;
  readonly ms: number;
}

/** Windows that all families which name them fill together: each thread, each room or the whole tenant its own. */
export interface SharedWindows {
  readonly name: string;
  readonly of: 'thread' | 'room' | 'tenant';
  readonly windows: readonly CallWindow[];
}

/** What a channel allows of a family: calls a minute and tenant, and the gap between two of one reply. */
export interface FamilyLimit {
  readonly perMinute?: number;
  readonly gapMs: number;
  /** The channel itself counts the gap: it begins with the answer to a call, and the end of a reply keeps it, too. */
  readonly strict?: true;
  /** What nobody misses: it is done only while half of every shared window is free. */
  readonly yields?: true;
  readonly perRoom?: RoomRate;
  readonly shared?: readonly SharedWindows[];
}

/** What only some channels can do. */
export interface Abilities {
  /** Says that a question waits its turn; `ahead` counts the questions before it. */
  readonly waiting?: { say(turn: Turn, ahead: number): Promise<void> };
  readonly lookup?: Lookup;
}

/** What an event did not tell: asked for when the turn runs, because no acknowledgement may wait for the network. */
export interface Lookup {
  /**
   * The message with its sender's name and standing, and what people said before it as quotes. Throws `access-denied`
   * where nobody can tell who asks.
   */
  complete(message: Message, signal: AbortSignal): Promise<Message>;
  /**
   * The thread's earlier exchanges with the agent, oldest first and bounded, for agents without sessions. Where a
   * channel has it, no text of an exchange is kept.
   */
  readonly history?: (
    message: Message,
    agent: AgentName,
    signal: AbortSignal,
  ) => Promise<readonly Exchange[]>;
}

export interface ChannelAdapter<Request, Response> {
  readonly name: string;
  /** By move family. */
  readonly limits: Readonly<Record<string, FamilyLimit>>;
  readonly abilities: Abilities;
  start(host: AdapterHost<Request, Response>): Promise<void>;
  stop(): Promise<void>;
  writer(turn: Turn): ReplyWriter;
  /** The whole content, at most `limit` bytes; more is refused with `image-refused`. */
  openFile(file: FileRef, limit: number, signal: AbortSignal): Promise<Uint8Array>;
}
