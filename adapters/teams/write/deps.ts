/** What the calls of a reply share. */

import type { Streaming } from '../../../src/kit/streaming.ts';
import type { AdapterHost, Log, ThreadRef, Turn } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import type { Graph } from '../api/graph.ts';
import type { TextFormat } from '../render/emit.ts';
import type { SentMessages } from './sent-messages.ts';

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
  /** Whether only the asker sees what is written there. */
  isPrivate(thread: ThreadRef): boolean;
  readonly log: Log;
  /** 0 to 1. */
  readonly random: () => number;
}

export interface Performing {
  readonly turn: Turn;
  readonly deps: WriterDeps;
  /** What each stream shows, by its id: what ends it must begin with that. */
  readonly streamed: Map<string, string>;
  /** The text of the last post that nobody answered. */
  readonly unanswered: { text?: string };
  /** Images of the answer as `data:` addresses, by their ids; empty where one does not go along. */
  readonly images: Map<string, string>;
  readonly signal: AbortSignal;
}

export const streamPlace = ({ tenant, room }: ThreadRef): string => JSON.stringify([tenant, room]);
