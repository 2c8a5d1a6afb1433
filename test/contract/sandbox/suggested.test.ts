/**
 * Tests every question that the agents `knowledge` and `guide` can suggest: its answer begins with the section from
 * which the question was made.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import { call, type Json, openToken } from './support.ts';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, memory: true, options: { paceMs: 0 } });
  await sandbox.indexed;
});
afterAll(() => sandbox.close());

/** Matches the heading of the first passage or section in an answer. */
const HEADING = /\n(?:\*\*(.+)\*\*(?: \(.*\))?|1\. \[(.+)\]\(http.*) \[1\]\n/;

it.each([
  ['knowledge', 40],
  ['guide', 50],
])('the questions that %s suggests are answered by their sections', async (expertCode, least) => {
  const headers = await openToken(sandbox, 'admin');
  const ask = async (content: string): Promise<Json> =>
    (
      await call(`${sandbox.url}/openapi/chat/expert`, {
        body: { expertCode, content, sessionId: null },
        headers,
      })
    ).json.data;
  const questions = new Set<string>((await ask('Hello')).suggestionQuestions);
  for (const { title } of sandbox.documents())
    for (const question of (await ask(title)).suggestionQuestions) questions.add(question);
  const wrong: string[] = [];
  for (const question of questions) {
    const { content, suggestionQuestions } = await ask(question);
    for (const next of suggestionQuestions) questions.add(next);
    const [, quoted, shown] = HEADING.exec(content) ?? [];
    const heading = (quoted ?? shown ?? content).replace(/^(?:\d+\.)+\s+|^how to /i, '');
    if (!question.includes(heading)) wrong.push(`${question}: ${heading}`);
  }
  expect(wrong).toEqual([]);
  expect(questions.size).toBeGreaterThan(least);
});
