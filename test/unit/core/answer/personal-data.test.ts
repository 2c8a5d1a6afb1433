/**
 * Tests which questions count as containing personal data, and which answers count as the platform's prompt about it.
 */

import { describe, expect, test } from 'vitest';
import {
  choiceOf,
  isPersonalDataPrompt,
  withoutChoices,
  withoutPersonalData,
  withoutPersonalDataIn,
} from '../../../../src/core/answer/personal-data.ts';
import { words } from '../../../../src/core/words.ts';

const x = (count: number) => 'x'.repeat(count);
const REMOVED = words.personalData.removed;

describe('personal data in a text is removed', () => {
  test.each([
    'a@b.c',
    'ä9._%+-z@bücher-9.de',
    `${x(64)}@b.c`,
    `a@${x(63)}.c`,
    `a@b.${x(63)}`,
    'a@b.c.d.e.f.g.h.i.j',
    '12345678',
    '+12345678',
    '1234567890'.repeat(4).concat('12'),
    '0(1)2.3-4 56',
    '2024-10-011',
    '12024-10-01',
    '2024-10-1 23',
    '202-10-01 23',
  ])('the removal of %j leaves the text around it unchanged', (text) => {
    expect(withoutPersonalData(text)).toBe(REMOVED);
    expect(withoutPersonalData(`(${text}) and !${text}!`)).toBe(`(${REMOVED}) and !${REMOVED}!`);
  });

  test.each([
    [`a@b.${x(64)}`, `${REMOVED}x`],
    ['a@b.c.d.e.f.g.h.i.j.k', `${REMOVED}.k`],
    ['1234567890'.repeat(4).concat('123'), `${REMOVED}3`],
    ['12345678.', `${REMOVED}.`],
    ['x12345678x', `x${REMOVED}x`],
    ['2026-11-22 0301234567', `2026-11-22 ${REMOVED}`],
    ['2026-11-22 14:05 +49 30 1234567', `2026-11-22 14:05 ${REMOVED}`],
    ['12-2026-11-22', REMOVED],
    ['45.11.2026', REMOVED],
    ['22.23.2026', REMOVED],
    ['2026-11-22 14.05.30.45.67', `2026-11-22 ${REMOVED}`],
    ['2026-11-22 14.05.30456', `2026-11-22 ${REMOVED}`],
    ['22.11.20264', REMOVED],
  ])('in %j only the address or the number is removed', (text, left) => {
    expect(withoutPersonalData(text)).toBe(left);
  });
});

test.each([
  'ada at example.org',
  '@b.cc',
  'a@.cc',
  'a@b',
  'a@b.',
  'a@b,c',
  `${x(65)}@b.c`,
  `a@${x(64)}.c`,
  '1234567',
  '+1234567',
  '+ 123 45',
  '2024-10-01',
  'on 2024-10-01.',
  'version 1.2.3',
  '2026-11-22 14:05',
  '2026-11-22T14:05:30.123Z',
  '2026-11-22 14.05.30',
  '2026-11-22 14:05 - 2026-11-23 09:00',
  '14:05 2026-11-22',
  '22.11.2026',
  '1.1.2026, 14:05',
  '22.11.2026 14.05',
])('%j is not personal data', (text) => {
  expect(withoutPersonalData(text)).toBe(text);
});

test('only the questions of earlier exchanges change', () => {
  const history = [{ question: 'Mail a@b.c', answer: 'I mailed a@b.c' }];
  expect(withoutPersonalDataIn(history)).toEqual([{ question: `Mail ${REMOVED}`, answer: 'I mailed a@b.c' }]);
});

describe('an answer to a question with personal data', () => {
  const bare = { sources: [], media: [], suggestions: [] };
  const isPrompt = (text: string) => isPersonalDataPrompt('Mail a@b.c', { ...bare, text });

  test('is no prompt if the question contains only dates', () => {
    const asks = (question: string) => isPersonalDataPrompt(question, { ...bare, text: 'privacy' });
    expect(asks('Who meets on 2026-11-22 14:05?')).toBe(false);
    expect(asks('Who meets on 2026-11-22 14:05? Call 12345678')).toBe(true);
  });

  test.each([
    ...['personal data', 'personal information', 'personal details', 'Sensitive data'],
    ...['sensitive information', 'PRIVACY', 'personenbezogene', 'données personnelles'],
    ...['donnees personnelles', 'datos personales', '个人数据', '个人信息', '个人隐私', '個人情報'],
    ...['個人資料', '個人データ', '敏感信息', '隐私', '隱私'],
  ])('is a prompt if it says %j', (term) => {
    expect(isPrompt(`It holds ${term}: go on?`)).toBe(true);
  });

  test.each([
    ...['personal', 'data', 'sensitive', 'personal-data', 'information', 'private', 'personenbezug'],
    ...['données', 'donns personnelles', 'datos', '个人', '個人', '敏感', '信息', '私'],
  ])('is no prompt if it only says %j', (term) => {
    expect(isPrompt(`It holds ${term}: go on?`)).toBe(false);
  });

  test('is a prompt up to 800 characters', () => {
    const text = 'privacy'.padEnd(800, '.');
    expect([isPrompt(text), isPrompt(`${text}.`)]).toEqual([true, false]);
  });
});

test('only the choices are removed from suggestions', () => {
  const { send, without } = words.personalData;
  expect(withoutChoices([send, 'What else?', ` ${without.toUpperCase()} `, ''])).toEqual(['What else?', '']);
  expect([send, without, ''].map(choiceOf)).toEqual(['send', 'without', undefined]);
});
