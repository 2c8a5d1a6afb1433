/**
 * Tests `parley forget` as a command beside a running bridge: afterwards, no file of the data folder contains what the
 * person said.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Receipt } from '../../src/core/stores/forgetting.ts';
import { runHere } from '../fakes/run-here.ts';
import { eachWithBridge, eachWithHalfAgent } from './house/bridge-rig.ts';

const TEST_MS = 120_000;

const agent = eachWithHalfAgent();
let environment: Readonly<Record<string, string>> = {};
const bridge = eachWithBridge(async (folder) => {
  environment = await agent.environmentIn(folder);
  return environment;
});

/** Returns a question with the words, which the agent answers at once. */
function asking(words: string): string {
  const question = agent.question();
  agent.release();
  return `${question} ${words}`;
}

const run = (...args: readonly string[]) => parley('forget', ...args);

const parley = (...args: readonly string[]) =>
  runHere(args, { environment: { PARLEY_DATA: bridge.folder, ...environment } });

async function receiptOf(...args: readonly string[]): Promise<Receipt> {
  const { code, out, err } = await run(...args, '--yes', '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Receipt;
}

/** Returns the files of the data folder whose bytes contain the text. */
function filesWith(text: string, folder = bridge.folder): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesWith(text, path);
    return readFileSync(path).includes(text) ? [path] : [];
  });
}

test(
  'a person: stops their answer, deletes what they said and uploaded, and keeps what others said',
  async () => {
    const client = await bridge.start();
    const kept = await client.say(asking('canary-manager'), { as: 'manager' });
    await client.answer(kept);
    const bytes = new TextEncoder().encode('canary-bytes of the designer');
    const file = await client.upload('canary-name.txt', 'text/plain', bytes);
    const inThread = await client.say(asking('canary-designer'), { as: 'designer', thread: kept.thread });
    await client.answer(inThread);
    const withFile = await client.say(asking('see canary-file'), { as: 'designer', files: [file.id] });
    await client.answer(withFile);
    const running = await client.say(agent.question(), { as: 'designer' });
    const { reply } = await client.replyTo(running, ({ text }) => text.length > 10);

    const unsent = await client.upload('unsent.txt', 'text/plain', new TextEncoder().encode('unsent'));
    const dry = await run('person', 'console/designer', '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.out).toMatch(/^Nothing was deleted\. Stored about person console\/designer:\n/);
    expect((await fetch(`${client.url}/console/files/${unsent.id}`)).status).toBe(200);
    const unconfirmed = await run('person', 'console/designer');
    expect(unconfirmed.code).toBe(64);
    expect(unconfirmed.err).toContain('Add --yes to confirm, or --dry-run to count.');

    const receipt = await receiptOf('person', 'console/designer');
    expect(receipt).toMatchObject({ outcome: 'done', remaining: [] });
    expect(receipt.removed).toMatchObject({ turns: 3, messages: 6, answers: 3 });
    expect((await client.thread(kept)).map(({ author }) => author.id)).toEqual(['manager', 'half']);
    expect((await fetch(`${client.url}/console/files/${file.id}`)).status).toBe(404);
    const records = await audit();
    const person = receipt.pseudonym;
    expect(records.at(-1)).toMatchObject({ action: 'forget', outcome: 'done', person });
    expect(records.find(({ turn }) => turn === reply.turn)).toMatchObject({ outcome: 'stopped', person });
    for (const canary of ['canary-designer', 'canary-bytes', 'canary-name', 'canary-file', 'designer'])
      expect(filesWith(canary), canary).toEqual([]);
    expect(filesWith('canary-manager')).not.toEqual([]);
  },
  TEST_MS,
);

test(
  'a thread and everything, each a second time without effect',
  async () => {
    const client = await bridge.start();
    const one = await client.say(asking('canary-one'));
    const two = await client.say(asking('canary-two'));
    await client.answer(one);
    await client.answer(two);
    const thread = ['thread', `console/console/general/${one.thread}`];
    expect((await receiptOf(...thread)).removed).toMatchObject({ turns: 1, messages: 2 });
    const again = await run(...thread, '--yes');
    expect(again.out).toMatch(/^Nothing is stored about thread /);
    expect(again.out).toContain('The audit still names the people in this thread.');
    expect(filesWith('canary-two')).not.toEqual([]);
    const { out } = await run('tenant', 'console/console', '--yes');
    expect(out).toMatch(/^Deleted about tenant console\/console:\n {2}1 turn\n/);
    expect(out).toMatch(/ {2}2 messages of the console\n/);
    expect(out).toMatch(/In the audit, forgotten-\S+ stands for this workspace/);
    for (const canary of ['canary-one', 'canary-two', 'engineer'])
      expect(filesWith(canary), canary).toEqual([]);
  },
  TEST_MS,
);

test(
  'a request that no bridge carried out, or whose bridge was killed, is carried out at the next start',
  async () => {
    const client = await bridge.start();
    const question = await client.say(asking('canary-engineer'));
    await client.answer(question);
    await bridge.kill();
    const { code, err } = await run('person', 'console/engineer', '--yes', '--wait', '1');
    expect(code).toBe(75);
    expect(err).toContain('no running bridge has carried it out within 1 s. Start the bridge');

    await bridge.start();
    await expect.poll(() => bridge.output(), { timeout: 30_000 }).toContain('stored data was forgotten');
    expect((await run('person', 'console/engineer', '--yes')).out).toMatch(
      /^Nothing is stored about person /,
    );
    expect(filesWith('canary-engineer')).toEqual([]);
  },
  TEST_MS,
);

test.each([
  [['people', 'console/ada'], 'There is no "people" to forget. Write person, thread or tenant.'],
  [['person', 'ada'], '"ada" is not a person. Write CHANNEL/ID'],
  [['person', 'slak/U1'], 'There is no channel "slak". Known: '],
  [['thread', 'console/console/general'], 'is not a thread. Write CHANNEL/WORKSPACE/ROOM/THREAD'],
  [['tenant', 'console//'], 'is not a tenant.'],
  [['person', 'console/ada', '--wait', '0'], '"0" is not a time for --wait.'],
])('%j is refused with the cure', async (args, told) => {
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([64, expect.stringContaining(told)]);
});

async function audit(): Promise<readonly Record<string, unknown>[]> {
  const { out } = await parley('audit', 'export');
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
