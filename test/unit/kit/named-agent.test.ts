import { describe, expect, it, test } from 'vitest';
import { readAgent } from '../../../src/kit/named-agent.ts';

const agents = [
  ...['knowledge', 'guide', 'echo', 'kb-demo', 'image-demo', 'media-demo'],
  ...['slow-demo', 'privacy-demo', 'fail-demo', 'hr'],
];

describe('an agent’s name at the start', () => {
  it.each([
    ['echo: hi', 'echo', 'hi'],
    ['Echo: hi', 'echo', 'hi'],
    ['@echo: hi', 'echo', 'hi'],
    ['@echo hi', 'echo', 'hi'],
    ['@echo, hi', 'echo', 'hi'],
    ['@echo', undefined, '@echo'],
    ['echo hi', undefined, 'echo hi'],
  ])('%j asks %s', (said, agent, text) => {
    expect(readAgent(said, agents)).toEqual({ ...(agent !== undefined && { agent }), text });
  });

  it.each([
    ['@nope: hi', 'nope'],
    ['@HR-team: hi', 'HR-team'],
    ['knowlege: hi', 'knowlege'],
    ['knolwegde: hi', 'knolwegde'],
    ['@knowlege hi', 'knowlege'],
    ['ehco: hi', 'ehco'],
    ['imagedemo: hi', 'imagedemo'],
  ])('%j names an unknown agent', (said, agent) => {
    expect(readAgent(said, agents)).toEqual({ agent, text: 'hi' });
  });

  // The most frequent words before a colon. None may count as a misspelled agent's name.
  const leads = [
    ...['note', 'notes', 'question', 'update', 'fyi', 're', 'ps', 'todo', 'warning', 'idea', 'context', 'hi'],
    ...[
      'summary',
      'error',
      'hint',
      'tip',
      'answer',
      'edit',
      'example',
      'reminder',
      'important',
      'background',
    ],
    ...[
      'scenario',
      'task',
      'goal',
      'input',
      'output',
      'code',
      'log',
      'title',
      'subject',
      'from',
      'to',
      'http',
    ],
    ...[
      'each',
      'guideline',
      'knowing',
      'demo',
      'images',
      'media',
      'slow',
      'fail',
      'privacy',
      'he',
      'her',
      'nope',
    ],
  ];
  test.each(leads)('"%s: ..." stays a question', (lead) => {
    const said = `${lead}: the meeting is at 3`;
    expect(readAgent(said, agents)).toEqual({ text: said });
  });

  it.each([
    '@media queries, what are they?',
    '@types/node is what?',
    'see @nope: hi',
    '@Anna what do you mean?',
  ])('%j stays a question', (said) => expect(readAgent(said, agents)).toEqual({ text: said }));

  it('does not match a person’s name at the start', () => {
    const said = '@Anna: is this right?';
    expect(readAgent(said, agents, ['anna'])).toEqual({ text: said });
    expect(readAgent('@Echo Smith hi', ['echo'], ['Echo Smith'])).toEqual({ text: '@Echo Smith hi' });
  });
});
