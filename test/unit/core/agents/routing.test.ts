import { describe, expect, test } from 'vitest';
import { chooseAgent, findAgent } from '../../../../src/core/agents/routing.ts';
import { agentName } from '../../../../src/core/ids.ts';
import { agent } from '../../../fakes/samples.ts';

const agents = ['books', 'painter', 'tax', 'weather'].map((name) => agent(name));
const directory = {
  agents: new Map(agents.map((each) => [each.name, each])),
  fallback: agentName('books'),
};
const names = { named: agentName('painter'), thread: agentName('tax'), room: agentName('weather') };

describe('the agent of a message', () => {
  test.each([
    ['the one it names', names, 'painter'],
    ['else the thread’s', { ...names, named: undefined }, 'tax'],
    ['else the room’s', { room: names.room }, 'weather'],
    ['else the default', {}, 'books'],
  ])('%s', (_, wishes, expected) => {
    expect(chooseAgent(directory, wishes).name).toBe(expected);
  });

  test('an unknown agent fails with a list of all agents', () => {
    expect(() => chooseAgent(directory, { named: agentName('nobody') })).toThrow(
      expect.objectContaining({
        code: 'agent-unknown',
        tellUser: expect.stringContaining('books, painter, tax, weather'),
      }),
    );
  });

  test('a misspelt agent fails with the name that was probably meant', () => {
    expect(() => chooseAgent(directory, { named: agentName('paintre') })).toThrow(
      expect.objectContaining({ tellUser: expect.stringContaining('Did you mean "painter"?') }),
    );
  });

  test('names match in any case', () => {
    expect(findAgent(directory, 'TAX')?.name).toBe('tax');
    expect(findAgent(directory, 'ta')).toBeUndefined();
  });
});
