/**
 * Corrects answers at the wire, in one bridge with its sandbox: the corrected pair is stored once on the platform, and
 * the same question then gets the corrected answer.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CorrectionView } from '../../adapters/console/wire.ts';
import { ConsoleClient } from './house/console-client.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

const TEST_MS = 180_000;
const RULES = `groups:
  editors: [person:console/engineer]
rules:
  - { allow: [ask, share], who: member }
  - { allow: correct, who: group:editors, agent: knowledge }
`;

let data: DataFolder;
let parley: RunningParley;
let people: ConsoleClient;

beforeAll(async () => {
  data = await makeDataFolder();
  const rules = join(data.path, 'rules.yaml');
  writeFileSync(rules, RULES);
  const config = join(data.path, 'parley.yaml');
  const rooms = [{ channel: 'console', kind: 'room', workspace: 'handbook' }];
  writeFileSync(config, JSON.stringify({ rules, rooms }));
  parley = await runParley(data, { PARLEY_CONFIG: config });
  people = new ConsoleClient(parley.url);
}, TEST_MS);
afterAll(async () => {
  await parley?.terminate();
  await data.remove();
}, TEST_MS);

async function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${parley.url}/console/replies/${path}`, sent);
  return { status: response.status, text: await response.text() };
}

const ANSWER = 'The hotel limit abroad is **200 EUR** since May.';

describe('in the console', () => {
  test(
    'a corrected answer is stored once, and is the answer to the same question',
    async () => {
      const question = 'What is the hotel limit abroad?';
      const first = (await people.answer(await people.say(`@knowledge ${question}`))).reply;
      expect(first.text).toContain('180 EUR');
      expect(first.correctable).toBe(true);
      const opened = await post(`${first.turn}/correction`, { as: 'engineer' });
      const form: CorrectionView = JSON.parse(opened.text);
      expect(form).toMatchObject({ question, answer: expect.stringContaining('180 EUR') });
      expect(form.answer).not.toContain('[1]');
      expect(form.told.join(' ')).toContain('“handbook”');
      const wording = { as: 'engineer', question, answer: ANSWER };
      const both = await Promise.all([1, 2].map(() => post(`${first.turn}/correct`, wording)));
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      expect(both.map(({ text }) => text).join()).toContain('Your correction is stored in “handbook”');
      const again = await post(`${first.turn}/correct`, wording);
      expect(again.text).toContain('is stored in “handbook” already');
      const second = (await people.answer(await people.say(`@knowledge ${question}`))).reply;
      expect(second.text).toBe(ANSWER);
      expect(parley.output()).toContain('an answer was corrected');
      expect(parley.output()).not.toContain('200 EUR');
    },
    TEST_MS,
  );

  test(
    'a person whom the rules do not allow it is refused',
    async () => {
      const said = await people.say('@knowledge How long are server logs kept?', { as: 'designer' });
      const { turn } = (await people.answer(said)).reply;
      for (const path of ['correction', 'correct']) {
        const refused = await post(`${turn}/${path}`, { as: 'designer', question: 'q', answer: 'a' });
        expect(refused.status).toBe(403);
        expect(refused.text).toContain('You are not allowed to correct answers here.');
      }
    },
    TEST_MS,
  );

  test(
    'the answers of an agent that nobody may correct have no such button',
    async () => {
      const { reply } = await people.answer(await people.say('@echo hello'));
      expect(reply.correctable).toBeUndefined();
    },
    TEST_MS,
  );
});
