import { expect, it } from 'vitest';
import { sandboxCatalogue } from '../../../sandbox/fixtures.ts';
import { embeddedSettings } from '../../../src/cli/embedded.ts';
import { loadConfig } from '../../../src/config/load.ts';

const { config } = loadConfig({ environment: {}, sandbox: embeddedSettings() });

it('offers every agent of the sandbox, knowledge first, over all three interfaces', () => {
  expect(Object.keys(config.agents)).toEqual(sandboxCatalogue.agents.map(({ name }) => name));
  expect(config.defaultAgent).toBe('knowledge');
  expect(new Set(Object.values(config.agents).map((agent) => agent.interface)).size).toBe(3);
});

it('asks the agent that sees images over an interface that takes them', () => {
  expect(config.agents['image-demo']).toMatchObject({
    interface: 'lite-key',
    mediaCredential: { kind: 'client-account' },
  });
});

it('maps people to accounts that the sandbox has', () => {
  const accounts = sandboxCatalogue.accounts.map(({ userName }) => userName);
  expect(config.identity.table.length).toBeGreaterThan(2);
  for (const { account } of config.identity.table) expect(accounts).toContain(account);
});
