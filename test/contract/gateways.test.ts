/** Runs the contract of gateways on the platform's three interfaces, on functions, and on language models. */

import type { ServerResponse } from 'node:http';
import { functionGateway } from '../../src/agents/function-agent.ts';
import { openaiGateway } from '../../src/agents/openai.ts';
import { systemClock } from '../../src/clock.ts';
import type { AgentGateway } from '../../src/core/agents/agent.ts';
import { Secret } from '../../src/secret.ts';
import {
  CHAT,
  clientOf,
  EXPERT,
  givesTokens,
  type HostilePlatform,
  LITE_TOKEN,
  openAgent,
  sendJson,
  startHostilePlatform,
  TOKEN,
} from '../fakes/hostile-platform.ts';
import { MODELS, modelChunk } from '../fakes/model-server.ts';
import { type GatewayStage, gatewayContract, type Played } from './gateway-contract.ts';

interface Wire {
  /** Path of the requests that ask the agent. */
  readonly path: string;
  /** Returns the events of a piece of text, and of the end. */
  piece(text: string): unknown;
  readonly end: readonly unknown[];
  connect(server: HostilePlatform): { readonly gateway: AgentGateway; close(): Promise<void> };
}

/** Plays the agent at the wire. */
async function onWire({ path, piece, end, connect }: Wire): Promise<GatewayStage> {
  const server = await startHostilePlatform();
  const { gateway, close } = connect(server);
  const gone = Promise.withResolvers<void>();
  let played: Played = { pieces: [], ending: 'end' };
  server.on('/', (_request, response) => sendJson(response, { success: true, data: { ids: ['1'] } }));
  server.on(TOKEN, givesTokens);
  server.on(LITE_TOKEN, (_request, response) =>
    sendJson(response, { success: true, data: { access_token: 'lite', expires_in: 1_440 } }),
  );
  server.on('/v1/models', (_request, response) => sendJson(response, MODELS));
  server.on(path, (_request, response) => {
    response.on('close', gone.resolve);
    if (played.ending === 'refusal')
      return sendJson(response, { error: { message: 'no' }, message: 'no' }, 400);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const whole = [...played.pieces.map(piece), ...(played.ending === 'end' ? end : [])];
    for (const each of whole) response.write(event(each));
    finish(response, played.ending);
  });
  return {
    gateway,
    play: (next) => {
      played = next;
    },
    get asked() {
      return server.paths(path).map(({ body }) => body);
    },
    abandoned: () => gone.promise,
    async close() {
      await close();
      await server.close();
    },
  };
}

const event = (content: unknown): string =>
  `data: ${typeof content === 'string' ? content : JSON.stringify(content)}\n\n`;

/** A break destroys the connection once what was written has left. */
function finish(response: ServerResponse, ending: Played['ending']): void {
  if (ending === 'end') response.end();
  if (ending === 'break') response.write('', () => setTimeout(() => response.destroy(), 20));
}

const account = {
  kind: 'client-token',
  clientId: 'demo',
  secret: new Secret('client-secret-1'),
  username: 'service',
} as const;

const platform =
  (options: Parameters<ReturnType<typeof clientOf>['gateway']>[0]) => (server: HostilePlatform) => {
    const { platform, gateway } = clientOf(server.url);
    return { gateway: gateway(options), close: () => platform.close() };
  };

gatewayContract('the Open API', () =>
  onWire({
    path: EXPERT,
    piece: (content) => ({ success: true, data: { content, sessionId: 's1' } }),
    end: [{ success: true, data: { content: '', sessionId: 's1', event: 'stop' } }],
    connect: platform(openAgent),
  }),
);

const lite = {
  path: CHAT,
  piece: (content: string) => ({ content }),
  end: [{ content: '', finish_reason: 'stop' }],
};
gatewayContract('the lite interface with a key', () =>
  onWire({
    ...lite,
    connect: platform({ interface: 'lite-key', credential: { kind: 'api-key', key: new Secret('key-1') } }),
  }),
);
gatewayContract('the lite interface with a token', () =>
  onWire({
    ...lite,
    path: CHAT.replace(/chat$/, 'uuid'),
    connect: platform({ interface: 'lite-token', agentId: 'uuid', credential: account }),
  }),
);

gatewayContract('a language model', () =>
  onWire({
    path: '/v1/chat/completions',
    piece: (content) => modelChunk({ content }),
    end: [modelChunk({}, 'stop'), '[DONE]'],
    connect: ({ url }) => {
      const options = { baseUrl: `${url}/v1`, model: 'small', seesImages: true, historyChars: 24_000 };
      const ports = { clock: systemClock, random: () => 0 };
      return { gateway: openaiGateway('local', options, ports), close: async () => undefined };
    },
  }),
);

gatewayContract('a function', async () => {
  const gone = Promise.withResolvers<void>();
  const asked: string[] = [];
  let played: Played = { pieces: [], ending: 'end' };
  const gateway = functionGateway('mine', { clock: systemClock }, async function* (question, { signal }) {
    asked.push(JSON.stringify(question));
    signal.addEventListener('abort', () => gone.resolve());
    if (played.ending === 'refusal') throw new Error('no');
    yield* played.pieces;
    if (played.ending === 'break') throw new TypeError('broken');
    if (played.ending === 'silence') await new Promise(() => undefined);
  });
  return {
    gateway,
    play: (next) => {
      played = next;
    },
    asked,
    abandoned: () => gone.promise,
    close: async () => undefined,
  };
});
