import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultPeople } from '../../../adapters/console/config.ts';
import { sandboxCatalogue } from '../../../sandbox/fixtures.ts';
import { embeddedSettings } from '../../../src/cli/embedded.ts';
import { loadConfig } from '../../fakes/load-config.ts';

const { config } = loadConfig({ environment: {}, sandbox: embeddedSettings() });

it('offers every agent of the sandbox, knowledge first, over all three interfaces', () => {
  expect(Object.keys(config.agents)).toEqual(sandboxCatalogue.agents.map(({ name }) => name));
  expect(config.defaultAgent).toBe('knowledge');
  expect(new Set(Object.values(config.agents).map((agent) => agent.interface)).size).toBe(3);
});

it('keeps the demonstration agents apart, and offers questions of the others', () => {
  for (const { group, questions } of Object.values(config.agents))
    expect([group, questions?.length]).toEqual(
      group === undefined ? [undefined, 3] : ['Demonstrations', undefined],
    );
  expect(Object.values(config.agents).filter(({ group }) => group === undefined)).toHaveLength(2);
});

it('asks the agent that sees images over an interface that accepts them', () => {
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

it('gives the demonstration people the rights that the docs describe', () => {
  const page = readFileSync(new URL('../../../docs/getting-started.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (.+?) \| .*`([\w-]+)` \| (.+?) \|$/gm)].map(([, ...cells]) => cells);
  const { accounts, roles, workspaces, openClient } = sandboxCatalogue;
  const handbook = workspaces.find(({ name }) => name === 'handbook')?.id ?? '';
  const readsHandbook = (account: string): boolean => {
    const held = accounts.find(({ userName }) => userName === account)?.roles ?? [];
    return roles.some(
      ({ id, administers, workspaces: may }) => held.includes(id) && (administers || may.includes(handbook)),
    );
  };
  const told = rows.filter(([name]) => defaultPeople.some((person) => person.name === name));
  expect(told.map(([name, account, reads]) => [name, account, !reads?.includes('not the handbook')])).toEqual(
    defaultPeople.map(({ id, name }) => {
      const account =
        config.identity.table.find(({ person }) => person === id)?.account ?? openClient.account;
      return [name, account, readsHandbook(account)];
    }),
  );
});
