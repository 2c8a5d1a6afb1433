/** The door of programs that embed Parley: `createParley`, and what its options consist of. */

import type { z } from 'zod';
import { webConsole } from '../adapters/console/channel.ts';
import type { consoleSettings } from '../adapters/console/settings.ts';
import { packages, channels as registered } from '../adapters/registry.ts';
import { slack as slackChannel } from '../adapters/slack/channel.ts';
import type { slackSettings } from '../adapters/slack/settings.ts';
import { teams as teamsChannel } from '../adapters/teams/channel.ts';
import type { teamsSettings } from '../adapters/teams/settings.ts';
import type { AgentFunction } from './agents/function-agent.ts';
import type { Bridge } from './bridge.ts';
import { brokenLine, completeSettings } from './cli/channels.ts';
import { composeBridge, logOptions } from './cli/compose.ts';
import { type ChannelWithSettings, writtenOptions } from './cli/embedding.ts';
import type { WrittenSettings } from './config/schema.ts';
import type { Channel } from './kit/channel.ts';
import { createLog } from './observe/log.ts';
import type { EmbeddedHandler } from './web/embedded-handler.ts';

export type {
  AgentContext,
  AgentEvent,
  AgentFunction,
  AgentImage,
  AgentQuestion,
} from './agents/function-agent.ts';
export { BridgeError, type ErrorCode } from './errors.ts';
export { traceIds } from './observe/trace-ids.ts';
export type { ChannelWithSettings, EmbeddedHandler };

type AgentSettings = NonNullable<WrittenSettings['agents']>[string];
type FunctionSettings = Omit<Extract<AgentSettings, { interface: 'function' }>, 'interface'>;
type OpenAISettings = Omit<Extract<AgentSettings, { interface: 'openai' }>, 'interface'>;

/** A function, a function with a description and the like, or an agent as in parley.yaml. */
export type AgentOption =
  | AgentFunction
  | (FunctionSettings & { readonly ask: AgentFunction })
  | AgentSettings;

type Shared = Omit<WrittenSettings, 'agents' | 'channels' | 'data' | 'database'>;

/** All settings of parley.yaml, and: */
export interface ParleyOptions extends Shared {
  /**
   * Path of a parley.yaml. The options add to it and take precedence. Only with a file, environment variables count as
   * for `parley start`.
   */
  readonly file?: string;
  /** Folder of all data, `.parley` by default, or the postgres:// address of a database, which needs `key` too. */
  readonly store?: string;
  readonly agents?: Readonly<Record<string, AgentOption>>;
  /** Without a file, only these channels are on. */
  readonly channels?: readonly (Channel | ChannelWithSettings)[];
}

export interface Parley {
  /**
   * Handles the requests to the bridge, as in Express and `node:http`. Requests to other addresses go to the next
   * handler, or get 404. Needs the unread body of a request, so mount it at the root and before parsers of bodies.
   * Answers 503 while the bridge does not run.
   */
  readonly handler: EmbeddedHandler;
  /** Opens the store and the channels, and continues the answers that an earlier process began. */
  start(): Promise<void>;
  /** Gives running answers 20 s to end, and closes. What is unfinished continues after the next start. */
  stop(): Promise<void>;
}

/**
 * Checks the options, and returns a bridge that does not run yet.
 * @throws BridgeError `config-invalid` with all faults at once, each with its cure
 */
export async function createParley(options: ParleyOptions): Promise<Parley> {
  const { read, written, functions, outside, faults } = writtenOptions({ ...options }, registered);
  const own = { channels: registered, packages, outside, faults, functions: [...functions.keys()] };
  const loaded = await completeSettings(written, own, read);
  const log = createLog(logOptions(loaded.config));
  for (const each of loaded.broken) log.error({ module: each.module }, brokenLine(each));
  let running: Promise<Bridge> | undefined;
  let handler: EmbeddedHandler | undefined;
  return {
    handler(request, response, next) {
      if (handler !== undefined) return handler(request, response, next);
      if (next !== undefined) return next();
      response.writeHead(503, { 'content-type': 'text/plain' }).end('Parley does not run.');
    },
    async start() {
      const web = { avoid: [], awaited: () => [], isEmbedded: true } as const;
      running ??= composeBridge(loaded, { log, web, functions });
      try {
        handler = (await running).handler;
      } catch (thrown) {
        running = undefined;
        throw thrown;
      }
    },
    async stop() {
      const bridge = await running?.catch(() => undefined);
      await bridge?.stop();
      running = undefined;
      handler = undefined;
    },
  };
}

/** An agent that a server with OpenAI's chat completions answers. */
export const openai = (settings: OpenAISettings): AgentSettings => ({ interface: 'openai', ...settings });

export const slack = (settings: z.input<ReturnType<typeof slackSettings>>): ChannelWithSettings => ({
  channel: slackChannel,
  settings,
});
export const teams = (settings: z.input<ReturnType<typeof teamsSettings>>): ChannelWithSettings => ({
  channel: teamsChannel,
  settings,
});
export const console = (settings: z.input<ReturnType<typeof consoleSettings>>): ChannelWithSettings => ({
  channel: webConsole,
  settings,
});
