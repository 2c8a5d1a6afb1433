import { describe, expect, test } from 'vitest';
import { type CommandDesk, parseCommand, runCommand } from '../../../src/core/commands.ts';
import { agentName } from '../../../src/core/ids.ts';
import type { Source } from '../../../src/core/reply.ts';
import { agent, person, source } from '../../fakes/samples.ts';

describe('what counts as a command', () => {
  test.each([
    ['help', { name: 'help' }],
    [' /HELP ', { name: 'help' }],
    ['new', { name: 'new' }],
    ['Stop', { name: 'stop' }],
    ['/agents', { name: 'agents' }],
    ['whoami', { name: 'whoami' }],
    ['sources', { name: 'sources' }],
    ['use painter', { name: 'use', agent: 'painter' }],
    ['/use @painter', { name: 'use', agent: 'painter' }],
  ])('%j is one', (text, command) => {
    expect(parseCommand(text)).toEqual(command);
  });

  test.each([
    '',
    'help me',
    'what is new',
    'stop it',
    'use',
    'use two words',
    'the sources',
    '//help',
    'help\nme',
  ])('%j is a question', (text) => {
    expect(parseCommand(text)).toBeUndefined();
  });
});

describe('what a command answers', () => {
  const books = agent('books');
  const painter = agent('painter', { sees: { images: true } });
  const desk = (over: Partial<CommandDesk> = {}) => {
    const done: string[] = [];
    const made: CommandDesk = {
      directory: {
        agents: new Map([books, painter].map((each) => [each.name, each])),
        fallback: agentName('books'),
      },
      person: person(),
      agent: books,
      lastSources: async () => [],
      use: async (chosen) => void done.push(`use ${chosen.name}`),
      forget: async () => void done.push('forget'),
      ...over,
    };
    return { made, done };
  };

  test('help names every command', async () => {
    const { text } = await runCommand({ name: 'help' }, desk().made);
    for (const word of ['agents', 'use <agent>', 'new', 'stop', 'sources', 'whoami', '**books**']) {
      expect(text).toContain(word);
    }
  });

  test('agents lists all, the thread’s own marked, and who sees images', async () => {
    const { text } = await runCommand({ name: 'agents' }, desk().made);
    expect(text).toContain('**books** *(this thread)*: Knows about books.');
    expect(text).toMatch(/\*\*painter\*\*.*Sees images\./);
    expect(text).not.toMatch(/\*\*books\*\*.*Sees images\./);
  });

  test('whoami says as whom one asks', async () => {
    expect((await runCommand({ name: 'whoami' }, desk().made)).text).toContain('the agent’s own account');
    const { text } = await runCommand({ name: 'whoami' }, desk({ account: 'ada@acme' }).made);
    expect(text).toContain('**Ada** (`ada`)');
    expect(text).toContain('**ada@acme**');
  });

  test('new forgets the session', async () => {
    const { made, done } = desk();
    expect((await runCommand({ name: 'new' }, made)).text).toContain('new conversation with **books**');
    expect(done).toEqual(['forget']);
  });

  test('use chooses, whatever the case; an unknown name chooses nothing and says who can be asked', async () => {
    const { made, done } = desk();
    expect((await runCommand({ name: 'use', agent: 'PAINTER' }, made)).text).toContain('**painter**');
    expect((await runCommand({ name: 'use', agent: 'nobody' }, made)).text).toContain('books, painter');
    expect(done).toEqual(['use painter']);
  });

  test('sources shows the last ones again', async () => {
    const last: readonly Source[] = [source(), source({ key: 'b' })];
    const shown = await runCommand({ name: 'sources' }, desk({ lastSources: async () => last }).made);
    expect(shown.text).toContain('2 sources');
    expect(shown.sources).toBe(last);
    expect((await runCommand({ name: 'sources' }, desk().made)).text).toContain('without sources');
  });

  test('stop finds nothing running, because intake has stopped what ran', async () => {
    expect((await runCommand({ name: 'stop' }, desk().made)).text).toContain('Nothing is running');
  });
});
