/**
 * Shows the effect of platform faults on people, with bridge, sandbox and console as `npm start` runs them: every
 * question ends in exactly one terminal reply with a kind sentence, whatever the fault (F01 to F16, F38).
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ReplyView } from '../../adapters/console/wire.ts';
import { freePorts } from '../bench/free-ports.ts';
import { ConsoleClient } from '../e2e/house/console-client.ts';
import {
  type DataFolder,
  makeDataFolder,
  type RunningParley,
  runParley,
} from '../e2e/house/running-parley.ts';

/** Short time limits, so that the bridge detects silence quickly. */
const CONFIG = `
platform:
  timeouts: { firstByteMs: 1500, idleMs: 1500, answerMs: 40000 }
limits: { questionsPerMinute: 10000 }
`;

let data: DataFolder;
let parley: RunningParley;
let person: ConsoleClient;
let sandbox: string;

beforeAll(async () => {
  data = await makeDataFolder();
  const config = join(data.path, 'parley.yaml');
  await writeFile(config, CONFIG);
  const [, port] = await freePorts();
  sandbox = `http://127.0.0.1:${port}/__sandbox`;
  parley = await runParley(data, { PARLEY_CONFIG: config, PARLEY_SANDBOX_PORT: String(port) });
  person = new ConsoleClient(parley.url);
});

afterEach(async () => {
  await fetch(`${sandbox}/faults`, { method: 'DELETE' });
});

afterAll(async () => {
  await parley?.kill();
  await data?.remove();
});

async function inject(fault: object): Promise<void> {
  const answer = await fetch(`${sandbox}/faults`, { method: 'POST', body: JSON.stringify(fault) });
  expect(answer.ok, await answer.text()).toBe(true);
}

async function askKnowledge(): Promise<ReplyView> {
  const question = await person.say('@parley How long is a visitor pass valid?');
  const { reply } = await person.answer(question);
  expect(await person.replies(question)).toHaveLength(1);
  return reply;
}

const ANSWER = 'A visitor pass is valid for one working day';
const REFERENCE = /\(Reference [0-9a-f]{8}\)$/;

function expectAnswered(reply: ReplyView): void {
  expect(reply).toMatchObject({ state: 'done', retry: false });
  expect(reply.text).toContain(ANSWER);
}

function expectNamedEnd(reply: ReplyView, state: 'failed' | 'partial'): void {
  expect(reply).toMatchObject({ state, retry: true });
  expect(reply.notices.at(-1)?.text).toMatch(REFERENCE);
  expect(reply.text === '').toBe(state === 'failed');
}

describe('the answer arrives despite', () => {
  test.each([
    ['an error status before the first byte, twice', { fault: 'F01', route: 'askExpert', count: 2 }],
    ['a reset before the first byte', { fault: 'F02', route: 'askExpert' }],
    ['one byte at a time', { fault: 'F05', route: 'askExpert', ms: 1 }],
    ['an end without the last blank line', { fault: 'F07', route: 'askExpert', mode: 'no-blank' }],
    ['an end without its stop', { fault: 'F07', route: 'askExpert', mode: 'no-stop' }],
    ['two stops', { fault: 'F08', route: 'askExpert' }],
    ['data after the stop', { fault: 'F08', route: 'askExpert', mode: 'data-after' }],
    ['an expired token', { fault: 'F13', route: 'askExpert' }],
    ['every token revoked', { fault: 'F13', route: 'askExpert', mode: 'revoke' }],
    ['429 with a short wait', { fault: 'F15', route: 'askExpert', retryAfter: '1' }],
    ['no references', { fault: 'F38', route: 'references', count: null }],
  ])('%s', async (_, fault) => {
    await inject(fault);
    expectAnswered(await askKnowledge());
  });
});

describe('the reply ends with a named failure and Retry after', () => {
  test.each([
    ['a permanent error status', { fault: 'F01', route: 'askExpert', count: null }, 'failed'],
    ['429 with an hour to wait', { fault: 'F15', route: 'askExpert', retryAfter: '3600' }, 'failed'],
    ['no headers', { fault: 'F03', route: 'askExpert' }, 'failed'],
    ['only heartbeats', { fault: 'F04', route: 'askExpert' }, 'failed'],
    ['a cut in the middle', { fault: 'F06', route: 'askExpert', bytes: 1500 }, 'partial'],
  ] as const)('%s', async (_, fault, state) => {
    await inject(fault);
    expectNamedEnd(await askKnowledge(), state);
  });

  test('Retry answers once the fault is gone', async () => {
    await inject({ fault: 'F06', route: 'askExpert', bytes: 1500 });
    const question = await person.say('@parley How long is a visitor pass valid?');
    const broken = await person.answer(question);
    expectNamedEnd(broken.reply, 'partial');
    expect(await person.retry(broken.reply.turn)).toEqual({ done: true });
    const { reply, id } = await person.replyTo(question, ({ state }) => state === 'done');
    expect(id).toBe(broken.id);
    expectAnswered(reply);
  });
});

describe('hostile streams end in one state without damage', () => {
  test.each([
    ['malformed JSON', { fault: 'F09', route: 'askExpert' }],
    ['bytes that are not UTF-8', { fault: 'F10', route: 'askExpert' }],
    ['64 MiB in one event', { fault: 'F11', route: 'askExpert' }],
    ['an envelope in place of a stream', { fault: 'F12', route: 'askExpert' }],
    ['a web page in place of a stream', { fault: 'F12', route: 'askExpert', mode: 'html' }],
    ['lone surrogates', { fault: 'F10', route: 'askExpert', mode: 'surrogate' }],
    ['NUL bytes', { fault: 'F10', route: 'askExpert', mode: 'nul' }],
    ['an unknown session', { fault: 'F16', route: 'askExpert' }],
  ])('%s', async (_, fault) => {
    await inject(fault);
    const reply = await askKnowledge();
    expect(['done', 'partial', 'failed']).toContain(reply.state);
    if (reply.state !== 'done') expect(reply.notices.at(-1)?.text).toMatch(REFERENCE);
    await fetch(`${sandbox}/faults`, { method: 'DELETE' });
    expectAnswered(await askKnowledge());
  });
});
