import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeDirectory } from '../bridge/agents.ts';
import { startBridge } from '../bridge.ts';
import { systemClock } from '../clock.ts';
import { type Config, withPlatforms } from '../config/schema.ts';
import type { AgentGateway } from '../core/agents/agent.ts';
import { imageTypeOf } from '../core/agents/image.ts';
import { agentName, type TurnId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { isFinal, type Media, type ReplyDocument } from '../core/reply.ts';
import type { CoreEvent } from '../core/turn-events.ts';
import { usage } from '../errors.ts';
import { text } from '../kit/json.ts';
import type { Asking, TerminalChannel } from '../kit/terminal.ts';
import { createLog } from '../observe/log.ts';
import { createPlatform } from '../platform/index.ts';
import type { Found } from './answer/ending.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { keepFilesPrivate } from './own-process.ts';
import { borrowSandbox } from './sandbox-process.ts';

export interface Conversation {
  readonly config: Config;
  /** Address of a sandbox that runs only during this command; undefined if the platform outlives the command. */
  readonly temporary: string | undefined;
  /**
   * Asks a question, passes each state of the reply to `show`, and resolves with the final state. Throws `usage` with
   * the bridge's sentence if the bridge refuses the question.
   */
  ask(asking: Asking, show: (document: ReplyDocument) => void): Promise<ReplyDocument>;
  /** Stops the running answer of the thread. */
  stop(thread: string): Promise<void>;
  /** Returns the images and files of an answer, and where each can be opened. */
  media(document: ReplyDocument): Promise<readonly Found[]>;
  /** Resolves with the platform's ids for a reply. An id that the platform did not send is undefined. */
  idsOf(turn: TurnId): Promise<PlatformIds>;
}

export interface PlatformIds {
  readonly session: string | undefined;
  /** Id of the platform's record of a complete answer. The answer's sources are fetched with this id. */
  readonly chatRecord: string | undefined;
  /** The newest fault, in the words for the operator. */
  readonly trouble: string | undefined;
}

/**
 * Runs a bridge in this process until `work` is done. Its data folder is separate, so that the command works even while
 * another bridge runs.
 */
export async function withConversation(
  deps: CommandDeps,
  file: string | undefined,
  work: (conversation: Conversation) => Promise<number>,
): Promise<number> {
  keepFilesPrivate();
  const loaded = await loadSettings(deps, file);
  const { rules } = loaded;
  const log = quietLog(loaded.config);
  const platform = loaded.embedded ? await borrowSandbox(loaded.config) : undefined;
  const config = terminalConfig(loaded.config, platform?.url);
  try {
    const replies = createReplies((turn) => terminal.settled(turn));
    const terminal = await deps.terminal(replies.take);
    const bridge = await startBridge({ config, rules: () => rules, log, adapters: [terminal.adapter] });
    try {
      const temporary = platform?.isTemporary ? platform.url : undefined;
      return await work({ ...conversationOf(config, log, terminal, replies), temporary });
    } finally {
      await bridge.stop();
    }
  } finally {
    await platform?.stop();
  }
}

/**
 * Creates a log on standard error, because standard output is for answers. Contains errors only, unless the configured
 * level is `debug`.
 */
function quietLog({ log: { level } }: Config): Log {
  const write = (line: string): void => void process.stderr.write(line);
  return createLog({
    level: level === 'debug' ? 'debug' : 'error',
    format: process.stderr.isTTY ? 'pretty' : 'json',
    write,
  });
}

function terminalConfig(config: Config, sandbox: string | undefined): Config {
  const { database: _, ...local } = config;
  return withPlatforms({ ...local, data: join(config.data, 'terminal') }, ({ baseUrl, outage }) => ({
    baseUrl: sandbox ?? baseUrl,
    // A person at a terminal is told at once that a platform is down.
    outage: { ...outage, keepMinutes: 0 },
  }));
}

interface Replies {
  take(turn: TurnId, document: ReplyDocument): void;
  /**
   * Passes the newest state and all later ones to `show`. Resolves with the last state once the turn has settled,
   * because sources may arrive after the end of the text.
   */
  follow(turn: TurnId, show: (document: ReplyDocument) => void): Promise<ReplyDocument>;
}

/**
 * Collects the states of replies. A reply may begin before the caller knows its turn's id, so its newest state is kept
 * until then.
 */
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
      // If the store fails, only what follows the text, such as sources, is missing.
      await settled(turn).catch(() => undefined);
      const last = newest.get(turn) ?? first;
      newest.delete(turn);
      followers.delete(turn);
      return last;
    },
  };
}

function conversationOf(
  config: Config,
  log: Log,
  terminal: TerminalChannel,
  replies: Replies,
): Omit<Conversation, 'temporary'> {
  return {
    config,
    async ask(asking, show) {
      const result = await terminal.ask(asking);
      if (result.kind === 'kept' || result.kind === 'duplicate') return replies.follow(result.turn, show);
      throw usage(result.kind === 'refused' ? result.tellUser : 'No answer is running.');
    },
    async stop(thread) {
      await terminal.stop(thread);
    },
    media: (document) => saveMedia(document, config, log),
    async idsOf(turn) {
      const events = await terminal.receipt(turn);
      const last = (name: CoreEvent['name']) => events.findLast((event) => event.name === name)?.detail ?? {};
      return {
        session: text(last('session').session),
        chatRecord: text(last('ending').chatRecord),
        trouble: text(last('trouble').cause),
      };
    },
  };
}

/** Maximum number of saved images. When there are more, the oldest are deleted. */
const MAX_IMAGES = 100;

/**
 * Saves images to the data folder, because a terminal cannot show them. Returns where each image and file can be
 * opened; for a file, that is its link.
 */
async function saveMedia(document: ReplyDocument, config: Config, log: Log): Promise<readonly Found[]> {
  if (document.media.length === 0) return [];
  const { agent = '' } = document;
  const name = config.agents[agent]?.platform ?? '';
  const settings = config.platforms[name];
  const called = () => undefined;
  const client =
    settings && createPlatform(settings, { clock: systemClock, log, random: Math.random, called });
  try {
    const { agents } = makeDirectory(config, { platforms: new Map(client && [[name, { client }]]) });
    const gateway = agents.get(agentName(agent))?.gateway;
    const folder = await makeRoom(resolve(config.data, 'media'), document.media.length);
    const begin = join(folder, systemClock.now().toString(36));
    return await Promise.all(
      document.media.map((media, index) => find(media, document, gateway, `${begin}-${index + 1}`)),
    );
  } finally {
    await client?.close();
  }
}

/** Deletes the oldest images so that `wanted` more fit. Names begin with the time of saving, so they sort by age. */
async function makeRoom(folder: string, wanted: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).toSorted();
  const old = names.slice(0, Math.max(0, names.length + wanted - MAX_IMAGES));
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  return folder;
}

async function find(
  media: Media,
  document: ReplyDocument,
  gateway: AgentGateway | undefined,
  file: string,
): Promise<Found> {
  const { kind, name, link, ref } = media;
  if (link !== undefined || kind === 'file' || gateway === undefined) {
    return { kind, name, ...(link !== undefined && { at: link }) };
  }
  const { account } = document;
  const call = { signal: new AbortController().signal, ...(account !== undefined && { account }) };
  const bytes = (await gateway.openMedia(ref, call).catch(() => undefined))?.bytes;
  const type = bytes === undefined ? undefined : imageTypeOf(bytes);
  if (bytes === undefined || type === undefined) return { kind, name };
  const path = `${file}.${type.replace('image/', '')}`;
  await writeFile(path, bytes);
  return { kind, name, at: pathToFileURL(path).href };
}
