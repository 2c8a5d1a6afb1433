/** Dependencies and data that the calls of a reply share. */

import { LRUCache } from 'lru-cache';
import type { LateRemoval, Streaming } from '../../../src/kit/ladder.ts';
import type { AdapterHost, ThreadRef, Turn } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import type { Graph } from '../api/graph.ts';
import type { Places } from '../receive/places.ts';
import type { TextFormat } from '../render/emit.ts';

export interface WriterDeps {
  readonly connector: Pick<Connector, 'send' | 'update' | 'delete'>;
  readonly places: Pick<Places, 'find' | 'close'>;
  readonly host: Pick<
    AdapterHost,
    | 'agents'
    | 'otherRights'
    | 'corrections'
    | 'openMedia'
    | 'link'
    | 'sourceLink'
    | 'messagesOfOthers'
    | 'clock'
    | 'log'
  >;
  /** Records which conversations support streams; keys are from `streamPlace`. */
  readonly streaming: Streaming;
  readonly format: TextFormat;
  /** Id of the app in Microsoft Entra. Look-ups recognize the app's messages by this id. */
  readonly appId: string;
  /**
   * Set if owners may consent to reading messages. If set, a message is looked up when the outcome of its post is
   * unknown.
   */
  readonly graph?: Pick<Graph, 'messages'> | undefined;
  /**
   * The text that each open stream shows, by `streamKey`. The call that ends a stream must send a text that begins with
   * the shown one. The shown texts outlive a turn: if the question is edited meanwhile, a later turn ends the stream.
   */
  readonly streamedTexts: LRUCache<string, string>;
  /**
   * When Teams answered the latest call of a stream, by `streamPlace`. If a question is edited, another turn continues
   * the stream, and its rate limits do not include the calls of the first turn.
   */
  readonly streamCalls: LRUCache<string, number>;
  /** Called when a person has pressed Teams' own Stop on a stream. */
  stopped(turn: Turn): void;
  /** Called when Teams has refused the answer so often that the bridge no longer tries to show it. */
  unshown(turn: Turn): void;
  /**
   * Deletes a message in `afterMs` milliseconds. Rejects with `store-unavailable` if the planned deletion cannot be
   * stored.
   */
  removeLater(message: LateRemoval, afterMs: number): Promise<void>;
  /** Returns a random number from 0 to 1, which spreads repeated calls over time. */
  readonly random: () => number;
}

/** State that a turn's calls share while one process makes them. */
interface Run {
  /** The address with which the reply began. The reply keeps it, even if the address is forgotten meanwhile. */
  place?: ReplyPlace;
  /** Number of consecutive failed calls, of consecutive failed calls that show no text, and of consecutive missing conversations. */
  failures: number;
  sideFailures: number;
  missing: number;
}

export interface Performing {
  readonly run: Run;
  readonly turn: Turn;
  readonly deps: WriterDeps;
  /** Images of the answer as `data:` URLs, by id; an empty string if the image is not embedded. */
  readonly images: Map<string, string>;
  readonly signal: AbortSignal;
}

export const streamPlace = ({ tenant, room }: ThreadRef): string => JSON.stringify([tenant, room]);

/** Maximum number of streams in memory, more than can run at the same time. */
const STREAMS = 10_000;

export const createStreamCalls = (): WriterDeps['streamCalls'] => new LRUCache({ max: STREAMS });

export const createStreamedTexts = (): WriterDeps['streamedTexts'] => new LRUCache({ max: STREAMS });

export const streamKey = (id: string, { message: { thread } }: Pick<Turn, 'message'>): string =>
  `${streamPlace(thread)} ${id}`;
