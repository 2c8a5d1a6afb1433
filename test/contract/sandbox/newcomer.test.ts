/**
 * Tests first questions of new users about the sandbox's documents: each answer begins with the sentence that answers
 * the question.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import { call, KEY_CHAT, key, openToken, user } from './support.ts';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, memory: true, options: { paceMs: 0 } });
  await sandbox.indexed;
});
afterAll(() => sandbox.close());

async function answer(agent: string, question: string): Promise<string> {
  const { json } = await call(sandbox.url + KEY_CHAT, { body: user(question), headers: key(agent) });
  return json.data.full_output;
}

async function answerAs(account: string, question: string, expertCode = 'knowledge'): Promise<string> {
  const headers = await openToken(sandbox, account);
  const body = { expertCode, content: question, sessionId: null };
  return (await call(`${sandbox.url}/openapi/chat/expert`, { body, headers })).json.data.content;
}

describe('knowledge', () => {
  it.each([
    ['How long is a visitor pass valid?', /^\*\*A visitor pass is valid for one working day/],
    ['How do I get a visitor pass?', /^\*\*Register your guest in the reception tool/],
    ['How many vacation days do I get?', /^\*\*Everybody who works full time gets 30 vacation days/],
    ['What does parental leave look like?', /^\*\*Parents may take up to 36 months/],
    ['Can I work from home?', /^\*\*You may work from home up to three days a week/],
    ['I lost my badge, what do I do?', /^\*\*Report a lost badge at once/],
    ['How much can I spend on a hotel?', /Hotel, per night with breakfast \| 130 EUR/],
    ['How do I claim my expenses?', /1\. Open the expense form within 30 days/],
    ['Can I fly business class?', /^\*\*Business class is not paid/],
    ['Who approves a business trip?', /^\*\*(Every business trip needs the approval|Trips under 300 EUR)/],
    ['What happens if I lose a receipt?', /^\*\*When a receipt is lost, write a replacement receipt/],
    ['How long are server logs kept?', /^\*\*Server logs: Kept for 30 days/],
    ['How long do we keep applicant data?', /6 months/],
    ['Who is on call at night?', /^\*\*The calendar says who is on call, day and night/],
    ['When do I have to escalate an incident?', /^\*\*An incident escalates by itself/],
    ['My laptop is broken', /Bring the laptop to the platform team between 09:00/],
    ['How do I connect to the VPN?', /^\*\*Internal systems are reached through the VPN client/],
    ['How do I reset my password?', /^\*\*Open the sign-in page/],
    ['How do I order a monitor?', /^\*\*Order keyboards, headsets, monitors/],
    ['What is the wifi password for guests?', /^\*\*Guests use office-guest/],
    ['Where can I park?', /^\*\*There are six visitor parking places/],
    ['Do we get lunch?', /^\*\*Lunch can be ordered until 10:30/],
    ['What are the office opening hours?', /^\*\*The office is open for employees from 07:00 to 22:00/],
    ['远程办公需要谁批准？', /^\*\*连续远程超过两周需要部门负责人书面批准/],
  ])('%s', async (question, expected) => {
    expect(await answer('knowledge', question)).toMatch(expected);
  });

  it.each([
    'What is Parley?',
    'What is the capital of France?',
    'Who won the match yesterday?',
  ])('has no answer in the handbook to: %s', async (question) =>
    expect(await answer('knowledge', question)).toMatch(/^I found nothing about that/));

  it('explains to an account without readable documents what to do', async () => {
    const question = 'How long is a visitor pass valid?';
    for (const account of ['admin', 'member-one'])
      expect(await answerAs(account, question)).toMatch(/^\*\*A visitor pass is valid/);
    for (const agent of ['knowledge', 'kb-demo'])
      expect(await answerAs('member-two', question, agent)).toMatch(
        /^Your account may not read any of my documents/,
      );
  });
});

describe('kb-demo', () => {
  it('lists its documents if no passage fits', async () => {
    expect(await answer('kb-demo', 'Who won the match yesterday?')).toMatch(
      /^I found nothing about that.*\n\nI can answer questions about:\n\n- /,
    );
  });
});

describe('guide', () => {
  it.each([
    ['What is Parley?', /^\*\*Parley brings the agents of an agent platform into team chat/],
    ['How do I connect Slack?', /manifest slack`[\s\S]*export SLACK_APP_TOKEN/],
    ['Where does Parley keep its data?', /^\*\*A bridge of one process keeps everything in the data folder/],
    ['What does error lane-full mean?', /already has as many waiting questions/],
    ['How do I stop', /^\*\*To stop a running answer, press \*Stop\*/],
    ['How do I stop an answer?', /^\*\*To stop a running answer, press \*Stop\*/],
    ['How do I stop the bridge?', /SIGTERM/],
    ['How do I use my own documents?', /^\*\*Start with a folder of Markdown/],
  ])('%s', async (question, expected) => {
    expect(await answer('guide', question)).toMatch(expected);
  });
});
