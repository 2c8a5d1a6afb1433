import { describe, expect, it } from 'vitest';
import { questionAbout } from '../../../sandbox/knowledge/suggest.ts';

describe('what is suggested of a heading', () => {
  it.each([
    ['How do I get a visitor pass?', 'How do I get a visitor pass?'],
    ['I forgot my badge at home', 'I forgot my badge at home'],
    ['Retention periods', 'Tell me about retention periods'],
    ['What happens when a page comes', 'What happens when a page comes?'],
    ['How to claim expenses', 'How to claim expenses?'],
    ['Who may ask, and as whom', 'Who may ask, and as whom?'],
    ['How a reply reaches a channel', 'Tell me how a reply reaches a channel'],
    ['What you can rely on', 'Tell me what you can rely on'],
    ['In Slack', 'And in Slack?'],
    ['After the incident', 'And after the incident?'],
    ['When it does not work', 'And when it does not work?'],
    ['A model', 'Tell me about a model'],
    ['Microsoft Teams', 'Tell me about Microsoft Teams'],
    ['Slack: Bolt sorts', 'Tell me about Slack: Bolt sorts'],
    ['7. Pull the plug', 'Tell me about pull the plug'],
    ['3.2 Daily limits', 'Tell me about daily limits'],
    ['Starting › Retention periods', 'Tell me about retention periods'],
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
    '`config-invalid`',
    'GET /v1/chat',
  ])('nothing of %s: people read titles, not ids', (heading) => {
    expect(questionAbout(heading)).toBeUndefined();
  });
});
