/**
 * Tests first questions of new users about the sandbox's documents: the first passage of each answer contains the
 * sentence that answers the question.
 */

import { describe, expect, it } from 'vitest';
import { askByKey, askExpert, call, openToken, sharedShipped, user } from './support.ts';

const sandbox = await sharedShipped();

async function answer(agent: string, question: string): Promise<string> {
  const { json } = await askByKey(sandbox, agent, user(question));
  return json.data.full_output;
}

async function answerAs(account: string, question: string, expertCode = 'knowledge'): Promise<string> {
  const headers = await openToken(sandbox, account);
  const body = { expertCode, content: question, sessionId: null };
  return (await askExpert(sandbox, body, headers)).json.data.content;
}

/** Returns the first quoted passage of an answer. */
const passage = (text: string): string => /\[1\]\n\n([\s\S]*?)(?:\n\n[^\n]* \[2\]\n|$)/.exec(text)?.[1] ?? '';

describe('knowledge', () => {
  it.each([
    ['How long is a visitor pass valid?', /A visitor pass is valid for one working day/],
    ['How do I get a visitor pass?', /Register your guest in the reception tool/],
    ['How many vacation days do I get?', /Everybody who works full time gets 30 vacation days/],
    ['What does parental leave look like?', /Parents may take up to 36 months/],
    ['Can I work from home?', /You may work from home up to three days a week/],
    ['I lost my badge, what do I do?', /Report a lost badge at once/],
    ['What is the hotel limit?', /Hotel, per night with breakfast \| 130 EUR/],
    ['How do I claim my expenses?', /1\. Open the expense form within 30 days/],
    ['Can I fly business class?', /Business class is not paid/],
    ['Who approves a business trip?', /(Every business trip needs the approval|Trips under 300 EUR)/],
    ['What happens if I lose a receipt?', /When a receipt is lost, write a replacement receipt/],
    ['How long are server logs kept?', /Server logs[^|]*\| 30 days/],
    ['What is the retention period of applicant data?', /applicants \| 6 months/],
    ['Who is on call at night?', /The calendar says who is on call, day and night/],
    ['When do I have to escalate an incident?', /An incident escalates by itself/],
    ['Where is my laptop repaired?', /Bring the laptop to the platform team between 09:00/],
    ['How do I connect to the VPN?', /Internal systems are reached through the VPN client/],
    ['How do I reset my password?', /Open the sign-in page/],
    ['How do I order a monitor?', /Order keyboards, headsets, monitors/],
    ['What is the wifi password for guests?', /Guests use office-guest/],
    ['Where can I park?', /There are six visitor parking places/],
    ['Do we get lunch?', /Lunch can be ordered until 10:30/],
    ['What are the office opening hours?', /The office is open for employees from 07:00 to 22:00/],
    ['远程办公需要谁批准？', /连续远程超过两周需要部门负责人书面批准/],
  ])('%s', async (question, expected) => {
    expect(passage(await answer('knowledge', question))).toMatch(expected);
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
      expect(await answerAs(account, question)).toContain('A visitor pass is valid for one working day');
    for (const agent of ['knowledge', 'kb-demo'])
      expect(await answerAs('member-two', question, agent)).toMatch(
        /^Your account may not read any of my documents/,
      );
  });
});

describe('kb-demo', () => {
  it('lists passages with their scores, and declines as the agent knowledge does', async () => {
    expect(await answer('kb-demo', 'badge')).toMatch(
      /^I found this in the documents:\n\n1\. \*\*Badges and visitors[^\n]*\(0\.\d+\): /,
    );
    expect(await answer('kb-demo', 'Who won the match yesterday?')).toMatch(/^I found nothing about that/);
  });
});

/** The first section that the agent `guide` shows: heading, address, title and sentence. */
const SECTION = /\n1\. \[([^\]]+)\]\((http[^)]+#c\d+)\)(?: \(([^)]*)\))? \[1\]\n {3}(\S.*)/;

describe('guide', () => {
  it.each([
    ['What is Parley?', 'Parley', undefined],
    ['What does error lane-full mean?', 'lane-full', 'Errors'],
    ['How do I stop an answer?', '6. Stop an answer, retry, fail', 'Getting started'],
    ['Do I need a backup?', 'Backup', 'Operating'],
    ['Wie mache ich ein Backup?', 'Backup', 'Operating'],
  ])('%s', async (question, heading, title) => {
    const [, first, link = '', page, sentence] = SECTION.exec(await answer('guide', question)) ?? [];
    expect([first, page]).toEqual([heading, title]);
    const { text } = await call(link);
    expect(text).toContain(`<h2 id="${new URL(link).hash.slice(1)}">`);
    expect(sentence?.length).toBeGreaterThan(20);
  });

  it('shows a row of a table without its marks', async () => {
    const text = await answer('guide', 'How much does Parley cost?');
    expect(text).toContain('\n   What does the license cost? Nothing. Parley is open source');
    expect(text).not.toContain('|');
  });

  it('shows at most three sections, and at most two of one page', async () => {
    const text = await answer('guide', 'How do I connect Slack?');
    expect(text).toContain('[Connect Slack in five minutes](');
    expect(text.match(/^\d\. /gm)).toEqual(['1. ', '2. ', '3. ']);
    expect(text.match(/\(Slack\)/g)?.length).toBeLessThanOrEqual(2);
  });
});

describe('people in other languages', () => {
  it.each([
    [
      'guide',
      'Wie wird das Wetter morgen in Berlin?',
      /^Dazu habe ich .* auf Englisch.*\n\nSie können .*:\n(\n- .+){3}$/,
    ],
    ['guide', 'おすすめの映画は何ですか', /^読める文書.*英語.*\n\n.*：\n(\n- .+){3}$/],
    ['knowledge', 'Où se trouve la tour Eiffel ?', /^Je n’ai .* en anglais.*\n\n.*:\n(\n- .+){3}$/],
    ['knowledge', '¿Cuál es la capital de Francia?', /^Lamentablemente .* en inglés.*\n\n.*:\n(\n- .+){3}$/],
    ['knowledge', '太阳系有几颗行星？', /^在我能读到的文档里没有找到[^英]*\n\n.*：\n(\n- .+){3}$/],
  ])('%s declines: %s', async (agent, question, expected) =>
    expect(await answer(agent, question)).toMatch(expected));

  it.each([
    ['Hello!', /^Hello! /],
    ['How are you?', /^Hello! /],
    ['Guten Morgen', /^Hallo! /],
    ['Bonjour', /^Bonjour ! /],
    ['¡Hola!', /^¡Hola! /],
    ['你好', /^您好/],
    ['こんにちは', /^こんにちは/],
    ['Thank you!', /^You are welcome/],
    ['Vielen Dank', /^Gern geschehen/],
    ['merci beaucoup', /^Avec plaisir/],
    ['Muchas gracias', /^¡De nada/],
    ['谢谢', /^不客气/],
    ['ありがとうございます', /^どういたしまして/],
  ])('get a friendly answer to: %s', async (text, expected) => {
    for (const agent of ['knowledge', 'guide']) expect(await answer(agent, text)).toMatch(expected);
  });
});
