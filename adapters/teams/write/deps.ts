/** Dependencies that the calls of a reply share. */

import { LRUCache } from 'lru-cache';
import type { Streaming } from '../../../src/kit/streaming.ts';
import type { AdapterHost, Log, ThreadRef, Turn, TurnId } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import type { Graph } from '../api/graph.ts';
import type { TextFormat } from '../render/emit.ts';

export interface WriterDeps {
  readonly connector: Pick<Connector, 'send' | 'update' | 'delete'>;
  readonly places: {
    find(thread: ThreadRef): Promise<ReplyPlace | undefined>;
    forget(tenant: string, room: string): Promise<void>;
  };
  readonly host: Pick<AdapterHost, 'agents' | 'otherRights' | 'openMedia' | 'link' | 'sourceLink' | 'clock'>;
  /** By `streamPlace`. */
  readonly streaming: Streaming;
  readonly format: TextFormat;
  /** Our own app in Microsoft Entra, by which our messages are known. */
  readonly appId: string;
  /** Present where owners consented that all messages are read: then a message of unknown outcome is looked up. */
  readonly graph?: Pick<Graph, 'messages'>;
  readonly sentMessages: SentMessages;
  /** Under which people's browsers reach the bridge, without a slash at the end. */
  readonly publicUrl?: string;
  /** A person pressed Stop on a stream. */
  stopped(turn: Turn): void;
  /** True if only the asker sees what is written there. */
  isPrivate(thread: ThreadRef): boolean;
  readonly log: Log;
  /** 0 to 1. */
  readonly random: () => number;
}

export interface Performing {
  readonly turn: Turn;
  readonly deps: WriterDeps;
  /** The text that each stream shows, by its id: the call that ends it must begin with that. */
  readonly streamed: Map<string, string>;
  /** The text of the last post that nobody answered. */
  readonly unanswered: { text?: string };
  /** Images of the answer as `data:` addresses, by their ids; empty where one does not go along. */
  readonly images: Map<string, string>;
  readonly signal: AbortSignal;
}

export const streamPlace = ({ tenant, room }: ThreadRef): string => JSON.stringify([tenant, room]);

/** Messages that are remembered: those that a look-up may meet are of the last minutes. */
const MESSAGES = 20_000;

type At = Pick<ReplyPlace, 'conversation'>;

/** Which messages this process wrote for which turn, so that one reply is never taken for another's. */
interface SentMessages {
  note(id: string, at: At, turn: TurnId): void;
  /** True if the message is known to be of another turn. */
  isOthers(id: string, at: At, turn: TurnId): boolean;
}

export function createSentMessages(): SentMessages {
  const turns = new LRUCache<string, TurnId>({ max: MESSAGES });
  const keyOf = (id: string, { conversation }: At): string => `${conversation} ${id}`;
  return {
    note(id, at, turn) {
      turns.set(keyOf(id, at), turn);
    },
    isOthers(id, at, turn) {
      const of = turns.get(keyOf(id, at));
      return of !== undefined && of !== turn;
    },
  };
}
