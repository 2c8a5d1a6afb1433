/** Tests `createParley`: a bridge in a server of the embedder, with agents and channels of the embedder. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentFunction,
  console as consoleChannel,
  createParley,
  openai,
  type Parley,
  type ParleyOptions,
  slack,
} from '../../../src/embed.ts';
import * as kit from '../../../src/kit/argument.ts';
import { type Behaviour, sendEvents, sendJson, startHostilePlatform } from '../../fakes/hostile-platform.ts';
import { MODELS, modelChunk } from '../../fakes/model-server.ts';

const { channel: echoOf } = await import(new URL('../../fakes/outside/echo.mjs', import.meta.url).href);
const WITHIN = { timeout: 20_000, interval: 50 };
/** A channel that asks the agent `echo`. */
const echo = (settings: object = {}) => ({ channel: echoOf(kit), settings });
const mine: AgentFunction = async function* ({ text }) {
  yield `You asked: ${text}`;
};

let store: string;
const servers: Server[] = [];
const bridges: Parley[] = [];
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'parley-embed-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  for (const bridge of bridges.splice(0)) await bridge.stop();
  rmSync(store, { recursive: true });
});

async function create(options: ParleyOptions): Promise<Parley> {
  const parley = await createParley({ store, log: { level: 'error', format: 'json' }, ...options });
  bridges.push(parley);
  return parley;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (url: string, text: string) => fetch(`${url}/echo`, { method: 'POST', body: text });
const said = async (url: string) => (await fetch(`${url}/echo`)).text();
/** Resolves with the error's message. Options from JavaScript may be anything. */
const refusal = async (options: object): Promise<string> => {
  const thrown: unknown = await create(options).catch((error: unknown) => error);
  return thrown instanceof Error ? thrown.message : 'accepted';
};

test('keeps questions while the server of a model is down, and asks them afterwards', async () => {
  const model = await startHostilePlatform();
  let isUp = false;
  const whenUp =
    (answer: (response: ServerResponse) => void): Behaviour =>
    (_request, response) =>
      isUp ? answer(response) : void response.writeHead(503).end();
  const answer = [modelChunk({ content: 'Two years.' }), modelChunk({}, 'stop')];
  model.on(
    '/v1/models',
    whenUp((response) => sendJson(response, MODELS)),
  );
  model.on(
    '/v1/chat/completions',
    whenUp((response) => sendEvents(response, answer)),
  );
  const local = openai({ baseUrl: `${model.url}/v1`, model: 'small' });
  const parley = await create({ agents: { echo: local }, channels: [echo()] });
  await parley.start();
  const url = await serve(parley.handler);
  await ask(url, 'How long?');
  // Two probes confirm an outage, and the third one finds out whether it is over.
  await expect.poll(() => model.paths('/v1/models').length, { timeout: 60_000 }).toBeGreaterThan(2);
  const asked = model.paths('/v1/chat/completions').length;
  isUp = true;
  await expect.poll(() => said(url), { timeout: 60_000 }).toContain('Two years.');
  expect(model.paths('/v1/chat/completions')).toHaveLength(asked + 1);
  await model.close();
});

describe('an embedded bridge', () => {
  test('answers in an Express app, beside the routes of the app', async () => {
    const parley = await create({ agents: { echo: mine }, channels: [echo()] });
    const app = express();
    app.use(parley.handler);
    app.get(
      '/own',
      (request, response) => void response.send(`${request.app === app} ${response.app === app}`),
    );
    const url = await serve(app);
    expect((await fetch(`${url}/own`)).status).toBe(200);
    await parley.start();
    expect(await (await fetch(`${url}/own`)).text()).toBe('true true');
    expect(await (await ask(url, 'How long?')).json()).toMatchObject({ kind: 'kept' });
    await expect.poll(() => said(url), WITHIN).toContain('You asked: How long?');
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ready' });
    await parley.stop();
    expect((await fetch(`${url}/echo`)).status).toBe(404);
  });

  test('answers in node:http, also after another start', async () => {
    const parley = await create({ agents: { echo: mine }, channels: [echo()] });
    const url = await serve((request, response) => parley.handler(request, response));
    expect((await fetch(url)).status).toBe(503);
    for (const text of ['one', 'two']) {
      await parley.start();
      await ask(url, text);
      await expect.poll(() => said(url), WITHIN).toContain(`You asked: ${text}`);
      await parley.stop();
    }
    await parley.start();
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
  });

  test('takes agents and settings from a file too, and a language model', async () => {
    const model = await startHostilePlatform();
    model.on('/v1/chat/completions', (_request, response) =>
      sendEvents(response, [modelChunk({ content: 'From the model.' }), modelChunk({}, 'stop')]),
    );
    const file = join(store, 'parley.yaml');
    writeFileSync(
      file,
      'agents: { mine: { interface: function, description: Mine } }\nconsole: { enabled: false }\n',
    );
    const small = openai({ baseUrl: `${model.url}/v1`, model: 'small' });
    const parley = await create({ file, agents: { mine, echo: small }, channels: [echo()] });
    const url = await serve(parley.handler);
    await parley.start();
    await ask(url, 'How long?');
    await expect.poll(() => said(url), WITHIN).toContain('From the model.');
    await model.close();
  });

  test('shows the console only with a token, because the server may be open to everyone', async () => {
    const agents = { mine };
    expect(await refusal({ agents, channels: [consoleChannel({})] })).toMatch(/without a token/);
    const parley = await create({ agents, channels: [consoleChannel({ token: 'x'.repeat(32) })] });
    const url = await serve(parley.handler);
    await parley.start();
    expect((await fetch(`${url}/console/state`)).status).toBe(401);
  });
});

describe('options that are wrong', () => {
  test('are refused all at once, each in one line with its cure', async () => {
    const lines = (
      await refusal({
        agents: { mine: 5, local: { interface: 'openai', baseUrl: 'nowhere', model: 'm' }, good: mine },
        channels: [slack({}), 7, echo({ greeting: '' }), echo()],
        defaultAgent: 'god',
        rooms: 'none',
        colour: 'red',
      })
    ).split('\n');
    const found = lines.slice(1).map((line) => line.trim());
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^createParley: agents\.mine is 5\. /),
        'createParley: agents.local.baseUrl is "nowhere". Give an http or https address.',
        expect.stringMatching(
          /^createParley: channels\.1 is no channel\. Give a channel of Parley such as slack/,
        ),
        expect.stringMatching(
          /^createParley: channels\.\d\.module defines the channel "echo", which exists already\./,
        ),
        expect.stringMatching(/^createParley: echo\.greeting is blank\. Give at least 2 characters\./),
        expect.stringMatching(/^createParley: defaultAgent names the agent "god"/),
        expect.stringMatching(/^createParley: rooms is "none"\. Give a list/),
        expect.stringMatching(/^createParley: colour is not a setting\. Known settings here: /),
      ]),
    );
    expect(found.filter((line) => line.startsWith('createParley: slack')).length).toBeGreaterThan(0);
  });

  test('of one kind each have a cure', async () => {
    expect(await refusal({})).toContain('agents names no agent.');
    expect(await refusal({ agents: { mine }, channels: [slack({}), slack({})] })).toContain(
      'slack is configured twice. Remove one of the two.',
    );
    expect(await refusal({ agents: { Mine: mine } })).toContain('is not a valid name');
    const broken = kit.defineChannel({
      ...{ api: 1, name: 'own', title: 'Own', on: 'when-configured', page: 'README.md', variables: {} },
      settings: () => {
        throw new Error('no luck');
      },
      announce: () => 'on',
      create: async () => Promise.reject(new Error('no')),
    });
    expect(await refusal({ agents: { mine }, channels: [broken] })).toContain(
      'fails: no luck. Correct the definition of the channel "own".',
    );
  });

  test('a channel or agent that fails later leaves the others running', async () => {
    const moody: AgentFunction = async function* ({ text }) {
      if (text === 'one') throw new Error('no database');
      yield `You asked: ${text}`;
    };
    const defineChannel: typeof kit.defineChannel = (definition) =>
      kit.defineChannel({ ...definition, name: 'other', variables: {} });
    const other = { channel: echoOf({ ...kit, defineChannel }), settings: { fails: 'start' } };
    const parley = await create({ agents: { echo: moody }, channels: [other, echo()] });
    const url = await serve(parley.handler);
    await parley.start();
    for (const text of ['one', 'two']) await ask(url, text);
    await expect.poll(() => said(url), WITHIN).toContain('You asked: two');
  });
});
