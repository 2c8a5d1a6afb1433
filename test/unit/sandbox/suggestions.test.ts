import { describe, expect, it } from 'vitest';
import { questionAbout } from '../../../sandbox/knowledge/suggest.ts';

describe('the suggestion from a heading', () => {
  it.each([
    ['How do I get a visitor pass?', 'How do I get a visitor pass?'],
    ['Can it answer?', 'Can it answer?'],
    ['How to claim expenses', 'How do I claim expenses?'],
    ['Who may ask, and as whom', 'Who may ask, and as whom?'],
    ['Retention periods', 'Tell me about “Retention periods”'],
    ['7. Pull the plug', 'Tell me about “Pull the plug”'],
    ['3.2 Daily limits', 'Tell me about “Daily limits”'],
    ['Starting › Retention periods', 'Tell me about “Retention periods”'],
    ['Was nach dem Urlaub zu tun ist', 'Was steht unter „Was nach dem Urlaub zu tun ist“?'],
    ['远程天数', '远程天数有哪些规定？'],
  ])('%s: %s', (heading, question) => {
    expect(questionAbout(heading)).toBe(question);
  });

  it.each([
    'console-token-missing',
    'Starting › console-token-missing',
    'platform.baseUrl',
    'PARLEY_KEY',
    'badges-and-visitors.md',
    '1795259725784000000',
    'ERR-1',
    '3.',
    'Introduction',
    'internal',
    'usage',
    'Start',
    'Pages',
    'Start it',
    'What it holds',
    'When it does not work',
    '`config-invalid`',
    'GET /v1/chat',
  ])('no suggestion from %s', (heading) => {
    expect(questionAbout(heading)).toBeUndefined();
  });
});
