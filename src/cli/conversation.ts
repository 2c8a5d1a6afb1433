import { join } from 'node:path';
import { startBridge } from '../bridge.ts';
import type { Config } from '../config/schema.ts';
import type { TurnId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { isFinal, type ReplyDocument } from '../core/reply.ts';
import { BridgeError } from '../errors.ts';
import type { Asking, Terminal } from '../kit/terminal.ts';
import { createLog } from '../observe/log.ts';
import type { Found } from './answer/ending.ts';
import { type House, loadSettings } from './channels.ts';
import { saveMedia } from './media-files.ts';
import { keepFilesPrivate } from './own-process.ts';
import { borrowSandbox } from './sandbox-process.ts';

export interface Conversation {
  readonly config: Config;
  /** Asks, shows each state of the reply, and resolves with the last. Throws what the bridge says when it refuses. */
  ask(asking: Asking, show: (document: ReplyDocument) => void): Promise<ReplyDocument>;
  /** Stops what runs in the thread. */
  stop(thread: string): Promise<void>;
  /** Pictures and files of an answer, and where they can be opened. */
  media(document: ReplyDocument): Promise<readonly Found[]>;
  /** The platform's session that the reply belongs to, where the platform keeps one. */
  sessionOf(turn: TurnId): Promise<string | undefined>;
  /** Id of the platform's record of a complete answer; its references are fetched by this id. */
  recordOf(turn: TurnId): Promise<string | undefined>;
}

/** A bridge in this process, on a data folder of its own, so that it works while another one serves people. */
export async function withConversation(
  house: House,
  file: string | undefined,
  work: (conversation: Conversation) => Promise<number>,
): Promise<number> {
  keepFilesPrivate();
  const loaded = await loadSettings(house, file);
  const log = quietLog(loaded.config);
  const platform = loaded.embedded ? await borrowSandbox(loaded.config) : undefined;
  const config = terminalConfig(loaded.config, platform?.url);
  try {
    const replies = createReplies((turn) => terminal.settled(turn));
    const terminal = await house.terminal(replies.take);
    const bridge = await startBridge({ config, log, adapters: [terminal.adapter] });
    try {
      return await work(conversationOf({ config, log, terminal, replies }));
    } finally {
      await bridge.stop();
    }
  } finally {
    await platform?.stop();
  }
}

/** Only what an operator must know; answers are what is printed here. */
function quietLog({ log: { level } }: Config): Log {
  const write = (line: string): void => void process.stderr.write(line);
  return createLog({
    level: level === 'debug' ? 'debug' : 'error',
    format: process.stderr.isTTY ? 'pretty' : 'json',
    write,
  });
}

function terminalConfig(config: Config, sandbox: string | undefined): Config {
  const platform = sandbox === undefined ? config.platform : { ...config.platform, baseUrl: sandbox };
  return { ...config, platform, data: join(config.data, 'terminal') };
}

interface Replies {
  take(turn: TurnId, document: ReplyDocument): void;
  /**
   * Shows the newest state and all later ones. Resolves with the last once the turn has settled: sources may arrive after
   * the text has ended.
   */
  follow(turn: TurnId, show: (document: ReplyDocument) => void): Promise<ReplyDocument>;
}

/** Replies may begin to show before the one who asked learns of their turn; the newest state waits for it. */
function createReplies(settled: (turn: TurnId) => Promise<void>): Replies {
  const newest = new Map<TurnId, ReplyDocument>();
  const followers = new Map<TurnId, (document: ReplyDocument) => void>();
  return {
    take(turn, document) {
      newest.set(turn, document);
      followers.get(turn)?.(document);
    },
    async follow(turn, show) {
      const ended = Promise.withResolvers<ReplyDocument>();
      const see = (document: ReplyDocument): void => {
        show(document);
        if (isFinal(document)) ended.resolve(document);
      };
      followers.set(turn, see);
      const already = newest.get(turn);
      if (already !== undefined) see(already);
      const first = await ended.promise;
      // A store that fails costs only what comes after the text.
      await settled(turn).catch(() => undefined);
      const last = newest.get(turn) ?? first;
      newest.delete(turn);
      followers.delete(turn);
      return last;
    },
  };
}

interface ConversationDeps {
  readonly config: Config;
  readonly log: Log;
  readonly terminal: Terminal;
  readonly replies: Replies;
}

function conversationOf({ config, log, terminal, replies }: ConversationDeps): Conversation {
  return {
    config,
    async ask(asking, show) {
      const kept = await terminal.ask(asking);
      if (kept.kind === 'kept' || kept.kind === 'duplicate') return replies.follow(kept.turn, show);
      throw new BridgeError('usage', kept.kind === 'refused' ? kept.tellUser : 'Nothing is running.');
    },
    async stop(thread) {
      await terminal.stop(thread);
    },
    media: (document) => saveMedia(document, config, log),
    async sessionOf(turn) {
      const events = await terminal.receipt(turn);
      const session = events.findLast(({ name }) => name === 'session')?.detail.session;
      return typeof session === 'string' ? session : undefined;
    },
    async recordOf(turn) {
      const events = await terminal.receipt(turn);
      const record = events.findLast(({ name }) => name === 'ending')?.detail.chatRecord;
      return typeof record === 'string' ? record : undefined;
    },
  };
}
