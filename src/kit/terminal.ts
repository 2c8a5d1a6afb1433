/** The channel behind `parley ask` and `parley chat`. It is created with a callback and has no settings. */

import type { IntakeResult } from '../core/channel/events.ts';
import type { AgentName, TurnId } from '../core/ids.ts';
import type { ReplyDocument } from '../core/reply.ts';
import type { CoreEvent } from '../core/turn-events.ts';
import type { ChannelAdapter } from './host.ts';

export interface Asking {
  readonly text: string;
  /** Key of the conversation. Asking again with the same key continues it. */
  readonly thread: string;
  readonly agent?: AgentName;
  readonly images: readonly TerminalFile[];
}

/** A file on this machine. */
export interface TerminalFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

export interface TerminalChannel {
  readonly adapter: ChannelAdapter;
  ask(asking: Asking): Promise<IntakeResult>;
  stop(thread: string): Promise<IntakeResult>;
  /** Resolves once no turn of the reply waits or runs. The reply has then been shown in its final state. */
  settled(turn: TurnId): Promise<void>;
  /** Resolves with the bridge's events about a reply, oldest first. */
  receipt(turn: TurnId): Promise<readonly CoreEvent[]>;
}

/** Called with each state of a reply, in order. The last state is final. */
export type ShowReply = (turn: TurnId, document: ReplyDocument) => void;
