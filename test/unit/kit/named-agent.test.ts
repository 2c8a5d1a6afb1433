import { describe, expect, it, test } from 'vitest';
import { readAgent } from '../../../src/kit/named-agent.ts';

const agents = [
  ...['knowledge', 'guide', 'echo', 'kb-demo', 'image-demo', 'media-demo'],
  ...['slow-demo', 'privacy-demo', 'fail-demo', 'hr'],
];

describe('the agent that words begin with', () => {
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
  ])('%j names an agent that is not there', (said, agent) => {
    expect(readAgent(said, agents)).toEqual({ agent, text: 'hi' });
  });

  // The words that people put before a colon most often: none may be taken for a misspelt agent.
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

  it('leaves words to a person that they begin with', () => {
    const said = '@Anna: is this right?';
    expect(readAgent(said, agents, ['anna'])).toEqual({ text: said });
    expect(readAgent('@Echo Smith hi', ['echo'], ['Echo Smith'])).toEqual({ text: '@Echo Smith hi' });
  });
});
