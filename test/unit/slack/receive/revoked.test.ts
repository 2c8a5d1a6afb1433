import { expect, test } from 'vitest';
import type { Workspace } from '../../../../adapters/slack/api/workspace.ts';
import { createRevoked } from '../../../../adapters/slack/receive/revoked.ts';

function rig() {
  const errors: string[] = [];
  const tokens: Record<string, string> = { T1: 'xoxb-1', T2: 'xoxb-2' };
  const at = (tenant: string): Workspace => ({ tenant, botUser: 'U0', token: tokens[tenant] ?? '' });
  const quiet = () => undefined;
  const error = (facts: object, text: string) => void errors.push(`${text} ${JSON.stringify(facts)}`);
  const revoked = createRevoked({ debug: quiet, info: quiet, warn: quiet, error });
  const workspaces = revoked.guard({
    find: async ({ team }) => at(team ?? ''),
    ofTenant: async (tenant) => at(tenant),
    remove: async () => [],
  });
  return { errors, tokens, revoked, workspaces };
}

test('a workspace whose token Slack refuses for good is switched off and logged once; others continue', async () => {
  const { errors, revoked, workspaces } = rig();
  revoked.note('xoxb-1', 'token_revoked');
  expect(await workspaces.ofTenant('T1')).toBeUndefined();
  expect(await workspaces.ofTenant('T1')).toBeUndefined();
  expect(await workspaces.ofTenant('T2')).toBeDefined();
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('T1');
  expect(errors[0]).not.toContain('xoxb');
});

test('events still find a workspace that is switched off, so that the app’s removal deletes its data', async () => {
  const { revoked, workspaces } = rig();
  revoked.note('xoxb-1', 'account_inactive');
  expect(await workspaces.find({ team: 'T1', orgWide: false })).toBeDefined();
});

test('a new token switches the workspace on again', async () => {
  const { tokens, workspaces } = rig();
  const workspace = await workspaces.ofTenant('T1');
  if (workspace) workspaces.disable(workspace);
  expect(await workspaces.ofTenant('T1')).toBeUndefined();
  tokens.T1 = 'xoxb-3';
  expect(await workspaces.ofTenant('T1')).toBeDefined();
});

test.each([
  'missing_scope',
  'ratelimited',
  'token_expired',
  'internal_error',
])('%s does not switch the workspace off', async (error) => {
  const { revoked, workspaces } = rig();
  revoked.note('xoxb-1', error);
  expect(await workspaces.ofTenant('T1')).toBeDefined();
});
