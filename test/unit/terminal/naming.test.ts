import { expect, it } from 'vitest';
import { createTerminal } from '../../../adapters/terminal/index.ts';
import { agentName } from '../../../src/kit/ladder.ts';
import { type AdapterHost, type Intake, turnId } from '../../../src/kit.ts';

it.each([
  ['@parley echo: hi', 'echo', 'hi'],
  ['Echo: hi', 'echo', 'hi'],
  ['@echo: hi', 'echo', 'hi'],
  ['@Echo hi', 'echo', 'hi'],
  ['@parley echo hi', undefined, '@parley echo hi'],
  ['@parley hi', undefined, '@parley hi'],
  ['note: hi', undefined, 'note: hi'],
  ['@nope: hi', 'nope', 'hi'],
  ['@parley: hi', undefined, '@parley: hi'],
  ['@parley @ehco hi', 'ehco', 'hi'],
])('%j asks %s', async (text, agent, words) => {
  const taken: Intake[] = [];
  const host: Pick<AdapterHost, 'agents' | 'clock' | 'intake'> = {
    agents: () => [{ name: agentName('echo'), description: 'Repeats', seesImages: false }],
    clock: { now: () => 1, wait: async () => undefined },
    intake: async (event) => {
      taken.push(event);
      return { kind: 'kept', turn: turnId('t'), ahead: 0 };
    },
  };
  const terminal = createTerminal(() => undefined);
  await terminal.adapter.start(host as AdapterHost);
  await terminal.ask({ text, thread: 'here', images: [] });
  const [event] = taken;
  if (event?.kind !== 'ask') throw new Error('nothing was asked');
  expect([event.message.agent, event.message.text]).toEqual([agent, words]);
});
