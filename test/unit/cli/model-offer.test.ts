import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OFFER_RECORD, type OfferDeps, offeredModel } from '../../../src/cli/model-offer.ts';

const KEY = 'sk-of-a-test';
const NOWHERE = '127.0.0.1:9';
let data: string;
let asked: string[];
let server: Server | undefined;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'parley-offer-'));
  asked = [];
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(data, { recursive: true, force: true });
});

/** Starts a server in place of Ollama, and returns its host. */
async function ollama(answer: RequestListener): Promise<string> {
  server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function offered(environment: OfferDeps['environment'], says?: boolean, onTerminal = true) {
  const ask = async (question: string) => {
    asked.push(question);
    return says;
  };
  return offeredModel({ data, environment: { OLLAMA_HOST: NOWHERE, ...environment }, onTerminal, ask });
}

const stored = () => readFile(join(data, OFFER_RECORD), 'utf8').catch(() => undefined);

test('a yes to OpenAI is asked once, and the key is stored nowhere', async () => {
  const model = await offered({ OPENAI_API_KEY: KEY }, true);
  expect(model).toMatchObject({ baseUrl: 'https://api.openai.com/v1', name: 'gpt-4o-mini' });
  expect(model?.key?.reveal()).toBe(KEY);
  expect(asked.join()).toContain('gpt-4o-mini at api.openai.com');
  expect(await stored()).not.toContain(KEY);
  expect((await offered({ OPENAI_API_KEY: 'sk-new' }, undefined, false))?.key?.reveal()).toBe('sk-new');
  expect(asked).toHaveLength(1);
});

test('a no is asked once', async () => {
  expect(await offered({ OPENAI_API_KEY: KEY }, false)).toBeUndefined();
  expect(await offered({ OPENAI_API_KEY: KEY }, true)).toBeUndefined();
  expect(asked).toHaveLength(1);
});

test('no answer stores nothing, and without a terminal nobody is asked', async () => {
  expect(await offered({ OPENAI_API_KEY: KEY }, undefined)).toBeUndefined();
  expect(await offered({ OPENAI_API_KEY: KEY }, true, false)).toBeUndefined();
  expect([await stored(), asked.length]).toEqual([undefined, 1]);
});

test('the key goes only to the address that the person has accepted', async () => {
  await offered(
    { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'https://one.example/v1', OPENAI_MODEL: 'small' },
    true,
  );
  const model = await offered({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'https://two.example/v1' });
  expect(model).toEqual({ baseUrl: 'https://one.example/v1', name: 'small' });
});

test.each([
  'not an address',
  'localhost:1234',
  'file:///models',
])('nothing is offered for the address %j', async (address) => {
  expect(await offered({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: address }, true)).toBeUndefined();
  expect(asked).toEqual([]);
});

test('an Ollama on this machine is offered with its first model, without a key', async () => {
  const host = await ollama((request, response) => {
    expect(request.url).toBe('/api/tags');
    response.end(JSON.stringify({ models: [{ name: 'qwen3:8b' }, { name: 'other' }] }));
  });
  expect(await offered({ OLLAMA_HOST: host }, true)).toEqual({
    baseUrl: `http://${host}/v1`,
    name: 'qwen3:8b',
  });
  expect(asked.join()).toContain(`qwen3:8b at ${host}`);
});

test.each<[string, RequestListener]>([
  ['has no model', (_, response) => response.end('{"models":[]}')],
  ['is another program', (_, response) => response.end('<html>')],
  ['answers with an error', (_, response) => response.writeHead(500).end('{}')],
  ['does not answer', () => undefined],
])('nothing is offered if what listens %s', async (_, answer) => {
  expect(await offered({ OLLAMA_HOST: await ollama(answer) }, true)).toBeUndefined();
  expect(asked).toEqual([]);
});

test('a damaged record is asked again', async () => {
  await writeFile(join(data, OFFER_RECORD), '{"use":tr');
  expect(await offered({ OPENAI_API_KEY: KEY }, true)).toBeDefined();
});
