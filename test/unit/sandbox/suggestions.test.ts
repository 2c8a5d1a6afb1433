import { describe, expect, it } from 'vitest';
import { questionAbout } from '../../../sandbox/knowledge/suggest.ts';

describe('the suggestion from a heading', () => {
  it.each([
    ['How do I get a visitor pass?', 'How do I get a visitor pass?'],
    ['I forgot my badge at home', 'I forgot my badge at home'],
    ['Retention periods', 'Tell me about retention periods'],
    ['What happens when a page comes', 'What happens when a page comes?'],
    ['How to claim expenses', 'How do I claim expenses?'],
    ['Ask in a thread', 'How do I ask in a thread?'],
    ['Connect Slack in five minutes', 'How do I connect Slack in five minutes?'],
    ['Using your own car', 'Tell me about using my own car'],
    ['Slack', 'Tell me about Slack'],
    ['Legal hold', 'Tell me about legal hold'],
    ['Company card', 'Tell me about the company card'],
    ['A sandbox', 'Tell me about a sandbox'],
    ['With a public address', 'How does it work with a public address?'],
    ['Before you book', 'What should I know before I book?'],
    ['When something is broken', 'What should I do when something is broken?'],
    ['Who may ask, and as whom', 'Who may ask, and as whom?'],
    ['How a reply reaches a channel', 'Tell me how a reply reaches a channel'],
    ['What you can rely on', 'Tell me what I can rely on'],
    ['In Slack', 'How does it work in Slack?'],
    ['After the incident', 'What happens after the incident?'],
    ['A model', 'Tell me about a model'],
    ['Microsoft Teams', 'Tell me about Microsoft Teams'],
    ['7. Pull the plug', 'How do I pull the plug?'],
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
    'internal',
    'usage',
    'Start',
    'Pages',
    'Start it',
    'What it holds',
    'When it does not work',
    'Undo is a word',
    'Links to images are encrypted',
    'Slack: Bolt sorts',
    '`config-invalid`',
    'GET /v1/chat',
  ])('no suggestion from %s', (heading) => {
    expect(questionAbout(heading)).toBeUndefined();
  });
});
