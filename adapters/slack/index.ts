import { type AdapterHost, BridgeError, type ChannelAdapter } from '../../src/kit.ts';
import { createBackground } from './background.ts';
import type { SlackConfig } from './config.ts';
import { createWriter, limits } from './first-writer.ts';
import { CHANNEL } from './ids.ts';
import { createDispatcher, type Handlers } from './receive/dispatch.ts';
import { createOnce } from './receive/once.ts';
import { oneWorkspace } from './receive/one-workspace.ts';
import { createReads, type Reads } from './receive/reads.ts';
import { mountRoutes } from './receive/routes.ts';
import { openSocket } from './receive/socket.ts';
import type { Workspaces } from './receive/workspace.ts';
import { createEngagement } from './talk/engagement.ts';
import { openFile } from './talk/files.ts';
import { isTalk, takeIn } from './talk/intake.ts';
import { createLookup } from './talk/lookup.ts';
import { tell } from './talk/notes.ts';
import { createPeople } from './talk/people.ts';

export type { OAuthConfig, SlackConfig } from './config.ts';

/** Slack: mentions, direct messages and threads, over HTTP or Socket Mode. */
export function createSlack(config: SlackConfig): ChannelAdapter {
  let running: Running | undefined;
  const open = (): Running => {
    if (running) return running;
    throw new BridgeError('internal', 'Slack is used before it is started.');
  };
  return {
    name: CHANNEL,
    limits,
    abilities: {
      waiting: { say: (turn, ahead) => tell(turn.message, waitingWords(ahead), open()) },
      lookup: {
        complete: (message, signal) => open().lookup.complete(message, signal),
        history: (message, agent, signal) => open().lookup.history(message, agent, signal),
      },
    },
    async start(host) {
      running = await startSlack(config, host);
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    writer: (turn) => createWriter(turn, open()),
    openFile: (file, limit, signal) => openFile(file, limit, { ...open(), apiUrl: config.apiUrl }, signal),
  };
}

function waitingWords(ahead: number): string {
  return ahead === 1
    ? 'Your question waits: one before it is being answered.'
    : `Your question waits: ${ahead} before it are being answered.`;
}

interface Running {
  readonly reads: Reads;
  readonly workspaces: Workspaces;
  readonly lookup: ReturnType<typeof createLookup>;
  stop(): Promise<void>;
}

async function startSlack(config: SlackConfig, host: AdapterHost): Promise<Running> {
  const { clock, log } = host;
  const { apiUrl } = config;
  const ended = new AbortController();
  const reads = createReads({ apiUrl, clock, log });
  const workspaces = await findWorkspaces(config, { reads, host, signal: ended.signal });
  const people = createPeople(reads, clock);
  const background = createBackground(log);
  const talk = {
    host,
    engagement: createEngagement(host.state),
    refuse: (message: Parameters<typeof tell>[0], words: string) =>
      background.run('a refusal', () => tell(message, words, { reads, workspaces })),
  };
  const once = createOnce(host.state);
  const handlers: Handlers = {
    async event(event, { workspace, event: id }) {
      if (!isTalk(event)) return;
      const take = () => takeIn(event, workspace, talk);
      await (event.kind === 'stopped' && id !== undefined ? once(id, take) : take());
    },
    act: async () => undefined,
  };
  const dispatcher = createDispatcher({ workspaces, handlers, log });
  const stopping = () => ended.signal.aborted;
  mountRoutes(config, { host, dispatcher, stopping });
  const socket = config.appToken && openSocket({ token: config.appToken, apiUrl, dispatcher, clock, log });
  return {
    reads,
    workspaces,
    lookup: createLookup({ workspaces, people, reads, log }),
    async stop() {
      ended.abort();
      await socket?.stop();
      await background.settle();
    },
  };
}

interface Finding {
  readonly reads: Reads;
  readonly host: AdapterHost;
  readonly signal: AbortSignal;
}

function findWorkspaces({ botToken }: SlackConfig, { reads, host, signal }: Finding): Promise<Workspaces> {
  const { clock, log } = host;
  if (botToken !== undefined) return oneWorkspace({ token: botToken, reads, clock, log, signal });
  throw new BridgeError('config-invalid', 'Slack has no SLACK_BOT_TOKEN.');
}
