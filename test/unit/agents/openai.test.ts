/** Agents that a language model answers: what is sent, and what hostile or broken servers get shown as. */

import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OpenAIOptions, openaiGateway } from '../../../src/agents/openai.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { Secret } from '../../../src/secret.ts';
import {
  ask,
  type Behaviour,
  type HostilePlatform,
  sendEvents,
  sendJson,
  startHostilePlatform,
} from '../../fakes/hostile-platform.ts';
import { MODELS, modelChunk } from '../../fakes/model-server.ts';
import { PNG } from '../../fakes/pixel.ts';

const CHAT = '/v1/chat/completions';
const signal = new AbortController().signal;
/** The system clock, but each wait takes a hundredth of the given time. */
const hurried: Clock = { now: systemClock.now, wait: (ms, ended) => systemClock.wait(ms / 100, ended) };

let server: HostilePlatform;
beforeEach(async () => {
  server = await startHostilePlatform();
});
afterEach(() => server.close());

const gatewayOf = (over: Partial<OpenAIOptions> = {}) =>
  openaiGateway(
    'local',
    { baseUrl: `${server.url}/v1`, model: 'small', seesImages: true, historyChars: 24_000, ...over },
    { clock: hurried, random: () => 0 },
  );

const answers = (behaviour: Behaviour): void => server.on(CHAT, behaviour);
const says =
  (...chunks: readonly object[]): Behaviour =>
  (_request, response) =>
    sendEvents(response, [...chunks, modelChunk({}, 'stop')]);
const streams =
  (text: string): Behaviour =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
const sent = () => JSON.parse(server.paths(CHAT).at(-1)?.body ?? '{}');
const event = (content: unknown) => `data: ${JSON.stringify(content)}\n\n`;
const text = (content: string) => modelChunk({ content });

describe('what is sent', () => {
  test('the system prompt, the earlier exchanges, quotes, images and the sampling', async () => {
    answers(says(text('Yes.')));
    const gateway = gatewayOf({ system: 'Be brief.', temperature: 0.2 });
    const images = await gateway.uploadImages([{ name: 'a.png', type: 'image/png', bytes: PNG }], { signal });
    const history = [{ question: 'Earlier?', answer: 'Yes, earlier.' }];
    await ask(gateway, { text: 'And now?', history, images, language: 'de' });
    expect(sent()).toEqual({
      model: 'small',
      stream: true,
      temperature: 0.2,
      messages: [
        { role: 'system', content: 'Be brief.\n\nAnswer in the language de.' },
        { role: 'user', content: 'Earlier?' },
        { role: 'assistant', content: 'Yes, earlier.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And now?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
          ],
        },
      ],
    });
  });

  test('no more of the history than historyChars', async () => {
    answers(says(text('Yes.')));
    const history = ['one', 'two', 'three'].map((question) => ({ question, answer: 'x'.repeat(95) }));
    await ask(gatewayOf({ historyChars: 210 }), { history });
    expect(sent().messages.map(({ content }: { content: string }) => content.slice(0, 5))).toEqual([
      ...['two', 'xxxxx', 'three', 'xxxxx', 'How l'],
    ]);
    await ask(gatewayOf({ historyChars: 0 }), { history });
    expect(sent().messages).toHaveLength(1);
  });

  test('the key, also a changed one, but nothing from the environment', async () => {
    answers(says(text('Yes.')));
    let key = 'first-key-0123456789';
    const gateway = gatewayOf({ key: new Secret(() => key) });
    const names = ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_CUSTOM_HEADERS'];
    for (const name of names) process.env[name] = 'x-foreign: foreign-value';
    await ask(gateway);
    key = 'second-key-0123456789';
    await ask(gateway);
    await ask(gatewayOf());
    for (const name of names) delete process.env[name];
    const headers = server.paths(CHAT).map((request) => request.headers);
    expect(headers.map(({ authorization }) => authorization)).toEqual([
      'Bearer first-key-0123456789',
      'Bearer second-key-0123456789',
      undefined,
    ]);
    expect(JSON.stringify(headers)).not.toMatch(/foreign|stainless/);
  });

  test('no credential to another address: a redirect ends the answer (attack S05)', async () => {
    const other = await startHostilePlatform();
    other.on('/', says(text('stolen')));
    answers((_request, response) => void response.writeHead(307, { location: `${other.url}/v1` }).end());
    const { error } = await ask(gatewayOf({ key: new Secret('key-0123456789') }));
    expect(error).toMatchObject({ code: 'platform-protocol', message: expect.stringContaining(other.url) });
    expect(other.received).toEqual([]);
    await other.close();
  });
});

test.each([
  ['a list of models', true, (response: ServerResponse) => sendJson(response, MODELS)],
  ['no list of models', true, (response: ServerResponse) => void response.writeHead(404).end()],
  ['a refused key', true, (response: ServerResponse) => void response.writeHead(401).end()],
  [
    'a web page',
    true,
    (response: ServerResponse) => void response.setHeader('content-type', 'text/html').end('<p>'),
  ],
  ['an error of the server', false, (response: ServerResponse) => void response.writeHead(503).end()],
  ['a connection that breaks', false, (response: ServerResponse) => void response.destroy()],
])('%s: whether the server counts as responding is %s', async (_, expected, answer) => {
  server.on('/v1/models', (_request, response) => answer(response));
  expect(await gatewayOf().answers?.()).toBe(expected);
});

describe('an answer', () => {
  test('shows the names of called tools as steps, and a refusal as text', async () => {
    const tool_calls = [
      { index: 0, id: 'c1', type: 'function', function: { name: 'search', arguments: '' } },
    ];
    const rest = [{ index: 0, function: { arguments: '{"q":' } }];
    answers(
      says(modelChunk({ tool_calls }), modelChunk({ tool_calls: rest }), modelChunk({ refusal: 'No.' })),
    );
    const { events, text } = await ask(gatewayOf());
    expect(text).toBe('No.');
    expect(events.filter(({ type }) => type === 'step')).toEqual([
      { type: 'step', step: { id: 'tool-0', name: 'search', state: 'done' } },
    ]);
  });

  test.each([
    ['length', { type: 'remark', remark: 'answer-cut' }],
    [null, { type: 'remark', remark: 'end-unmarked' }],
  ])('that ends with %s says so', async (reason, remark) => {
    answers((_request, response) => sendEvents(response, [text('So far.'), modelChunk({}, reason)]));
    const { events, text: shown } = await ask(gatewayOf());
    expect(shown).toBe('So far.');
    expect(events.slice(-2)).toEqual([remark, { type: 'end' }]);
  });

  test('that the filter stopped keeps its text', async () => {
    answers((_request, response) =>
      sendEvents(response, [text('So far.'), modelChunk({}, 'content_filter')]),
    );
    expect(await ask(gatewayOf())).toMatchObject({ text: 'So far.', error: { code: 'platform-refused' } });
  });

  test('comes after passing faults, with the delay that the server wants (faults F01, F02, F15)', async () => {
    const faults: readonly Behaviour[] = [
      (_request, response) => void response.destroy(),
      (_request, response) => void response.writeHead(429, { 'retry-after': '1' }).end('{}'),
    ];
    answers((request, response, nth) => (faults[nth - 1] ?? says(text('Yes.')))(request, response, nth));
    expect(await ask(gatewayOf())).toMatchObject({ text: 'Yes.', error: undefined });
    expect(server.paths(CHAT)).toHaveLength(3);
  });
});

const json =
  (status: number, message: string, headers = {}): Behaviour =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message, type: 'error', code: null } }));

const refusals: readonly (readonly [string, Behaviour, string, string])[] = [
  [
    '401',
    json(401, 'Incorrect API key provided: key-0123456789'),
    'platform-auth',
    'Set agents.local.key to a valid key.',
  ],
  ['403', json(403, 'Not allowed'), 'platform-permission', 'Ask the server\'s operator to allow "small"'],
  [
    '404',
    json(404, 'The model `small` does not exist'),
    'platform-refused',
    'Check agents.local.model ("small")',
  ],
  [
    '429 for an hour',
    json(429, 'Slow down', { 'retry-after': '3600' }),
    'platform-busy',
    'Wait, or raise the limits',
  ],
  [
    'too long a context',
    json(400, "This model's maximum context length is 4096 tokens."),
    'question-too-long',
    'Lower agents.local.historyChars, or use a model with a longer context.',
  ],
  ['413', json(413, 'Payload'), 'question-too-long', 'Lower agents.local.historyChars'],
  ['503 for ever', json(503, 'Loading'), 'platform-server', "Look into the server's log."],
];

describe('a refusal', () => {
  test.each(refusals)('%s is named with its cure', async (_, behaviour, code, cure) => {
    answers(behaviour);
    const { error, text: shown } = await ask(gatewayOf({ key: new Secret('key-0123456789') }));
    expect(shown).toBe('');
    expect(error).toMatchObject({ code, message: expect.stringContaining(cure) });
    expect(String(error)).not.toContain('key-0123456789');
  });

  test('429 says when to ask again', async () => {
    answers(json(429, 'Slow down', { 'retry-after': '3600' }));
    expect((await ask(gatewayOf())).error).toMatchObject({
      tellUser: 'The agent is very busy. Please try again in 60 minutes.',
    });
    expect(server.paths(CHAT)).toHaveLength(1);
  });

  test('a server that does not run is named with its address', async () => {
    const gateway = gatewayOf();
    await server.close();
    const { error } = await ask(gateway);
    expect(error).toMatchObject({
      code: 'platform-unreachable',
      message: `The agent "local": ${server.url}/v1 cannot be reached (ECONNREFUSED). Check baseUrl, which usually ends with /v1, and that the server runs.`,
    });
  });
});

/** Writes the chunk again and again, as long as the connection takes it. */
function pour(response: ServerResponse, chunk: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', more);
  };
  more();
}

const begun = event(text('So far.'));
const hostile: readonly (readonly [string, Behaviour, string, string])[] = [
  [
    'a web page',
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome'),
    '',
    'platform-protocol',
  ],
  [
    'JSON in place of a stream',
    (_request, response) => sendJson(response, { choices: [] }),
    '',
    'platform-protocol',
  ],
  ['a choice that is none', streams(begun + event({ choices: [null] })), 'So far.', 'platform-protocol'],
  ['an event that is no JSON', streams(`${begun}data: {"choices":\n\n`), 'So far.', 'platform-protocol'],
  [
    'an error in the stream',
    streams(`${begun}${event({ error: { message: 'out of memory' } })}`),
    'So far.',
    'platform-server',
  ],
  [
    'an event without an end',
    (_request, response) => pour(response, `data: ${'x'.repeat(65_536)}`),
    '',
    'platform-too-large',
  ],
  [
    'an endless error',
    (_request, response) => void response.writeHead(400).end('x'.repeat(200_000)),
    '',
    'platform-parameter',
  ],
];

describe('a hostile server', () => {
  test.each(
    hostile,
  )('that sends %s ends the answer, with its text so far', async (_, behaviour, shown, code) => {
    answers(behaviour);
    expect(await ask(gatewayOf())).toMatchObject({ text: shown, error: { code } });
  });

  test('that sends chunks of other shapes does no harm', async () => {
    const odd = [null, 5, [], {}, { choices: {} }, { choices: [{}] }, modelChunk({ content: 5 })];
    answers(streams(`${odd.map(event).join('')}${begun}${event(modelChunk({}, 'stop'))}`));
    expect(await ask(gatewayOf())).toMatchObject({ text: 'So far.', error: undefined });
  });
});

describe('doctor', () => {
  const check = async (behaviour: Behaviour) => {
    server.on('/v1/models', behaviour);
    const [finding] = await gatewayOf({ key: new Secret('key-0123456789') }).check(signal);
    return finding;
  };

  test('finds the model', async () => {
    const finding = await check((_request, response) => sendJson(response, MODELS));
    expect(finding).toEqual({ what: 'model', ok: true, detail: `${server.url}/v1 has small` });
  });

  test('names the models if the configured one is missing', async () => {
    const finding = await check((_request, response) =>
      sendJson(response, { data: [{ id: 'large' }, { id: 'tiny' }] }),
    );
    expect(finding).toMatchObject({
      ok: false,
      detail: expect.stringContaining('Set agents.local.model to one of its models: large, tiny.'),
    });
  });

  test('does not fail if the server lists no models', async () => {
    expect(await check((_request, response) => void response.writeHead(404).end())).toMatchObject({
      ok: true,
      tested: false,
    });
  });

  test('says that the key is wrong', async () => {
    expect(await check(json(401, 'Incorrect API key'))).toMatchObject({
      ok: false,
      detail: expect.stringContaining('Set agents.local.key to a valid key.'),
    });
  });
});
