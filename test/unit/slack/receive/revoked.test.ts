import { expect, test } from 'vitest';
import { meanings } from '../../../../adapters/slack/api/errors.ts';
import type { Workspace } from '../../../../adapters/slack/api/workspace.ts';
import { createRevoked } from '../../../../adapters/slack/receive/revoked.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

function rig(setting?: string) {
  const clock = createVirtualClock();
  const told: string[] = [];
  const tokens: Record<string, string> = { T1: 'xoxb-1', T2: 'xoxb-2' };
  const at = (tenant: string): Workspace => ({ tenant, botUser: 'U0', token: tokens[tenant] ?? '' });
  const log = (facts: object, text: string) => void told.push(`${text} ${JSON.stringify(facts)}`);
  const slack = { answers: [] as (string | undefined)[], asked: 0 };
  const revoked = createRevoked({
    async call(method) {
      expect(method).toBe('auth.test');
      const error = slack.answers[Math.min(slack.asked++, slack.answers.length - 1)];
      if (error === undefined) return { kind: 'done', body: {} };
      return meanings.get(error) === 'off'
        ? { kind: 'refused', why: 'off', error }
        : { kind: 'unknown', error };
    },
    setting,
    clock,
    log: { debug: log, info: log, warn: log, error: log },
    signal: new AbortController().signal,
  });
  const workspaces = revoked.guard({
    find: async ({ team }) => at(team ?? ''),
    ofTenant: async (tenant) => at(tenant),
    remove: async () => [],
  });
  const refuse = async () => {
    const workspace = await workspaces.ofTenant('T1');
    const works = workspace && workspaces.disable(workspace);
    await clock.pass(1_000);
    await clock.pass(5_000);
    return works;
  };
  return { clock, told, tokens, revoked, workspaces, slack, refuse };
}

const CODES = [
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
  'app_uninstalled',
];

test.each(
  CODES,
)('%s, repeated with pauses, switches off that workspace only, and is logged once', async (code) => {
  const { told, workspaces, slack, refuse } = rig();
  slack.answers = [code];
  expect(await refuse()).toBe(false);
  expect(slack.asked).toBe(3);
  expect(await workspaces.ofTenant('T1')).toBeUndefined();
  expect(await workspaces.ofTenant('T2')).toBeDefined();
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/Install the app there again.*T1/);
  expect(told[0]).not.toContain('xoxb');
});

test.each([
  ['once', [undefined], true],
  ['twice', ['account_inactive', undefined], true],
  ['three times', ['account_inactive', 'account_inactive', undefined], true],
  ['and then does not answer', ['account_inactive', 'unreachable'], true],
  ['and then has too many calls', ['account_inactive', 'ratelimited'], true],
])('a token that Slack refuses %s is not given up', async (_, answers, works) => {
  const { workspaces, slack, refuse, told } = rig();
  slack.answers = answers;
  expect(await refuse()).toBe(works);
  expect(await workspaces.ofTenant('T1')).toBeDefined();
  expect(told).toEqual([]);
});

test('concurrent refusals share one check', async () => {
  const { workspaces, slack } = rig();
  slack.answers = [undefined];
  const workspace = { tenant: 'T1', botUser: 'U0', token: 'xoxb-1' };
  expect(await Promise.all([1, 2].map(() => workspaces.disable(workspace)))).toEqual([true, true]);
  expect(slack.asked).toBe(1);
});

test.each([
  ['with the same token', 'xoxb-1'],
  ['with another token', 'xoxb-3'],
])('a new installation %s switches the workspace on again', async (_, token) => {
  const { tokens, revoked, workspaces, slack, refuse } = rig();
  slack.answers = ['token_revoked'];
  await refuse();
  tokens.T1 = token;
  revoked.forget(token);
  expect(await workspaces.ofTenant('T1')).toBeDefined();
});

test('a new installation during a check is not switched off by the result of this check', async () => {
  const { clock, revoked, workspaces, slack } = rig();
  slack.answers = ['token_revoked'];
  const workspace = await workspaces.ofTenant('T1');
  const works = workspace && workspaces.disable(workspace);
  await clock.pass(1_000);
  revoked.forget('xoxb-1');
  await clock.pass(5_000);
  await works;
  expect(await workspaces.ofTenant('T1')).toBeDefined();
});

test('a refused token is checked again after 5 minutes when it is needed, and works again', async () => {
  const { clock, told, workspaces, slack, refuse } = rig();
  slack.answers = ['account_inactive', 'account_inactive', 'account_inactive', undefined];
  await refuse();
  expect(await workspaces.ofTenant('T1')).toBeUndefined();
  await clock.pass(5 * 60_000);
  expect(await workspaces.ofTenant('T1')).toBeUndefined();
  await expect.poll(() => workspaces.ofTenant('T1')).toBeDefined();
  expect(told[1]).toContain('again');
});

test('the log names the setting of the token', async () => {
  const { told, slack, refuse } = rig('SLACK_BOT_TOKEN (slack.botToken)');
  slack.answers = ['invalid_auth'];
  await refuse();
  expect(told[0]).toMatch(/SLACK_BOT_TOKEN \(slack\.botToken\).*OAuth & Permissions/);
});

test('events still find a workspace that is switched off, so that the app’s removal deletes its data', async () => {
  const { workspaces, slack, refuse } = rig();
  slack.answers = ['account_inactive'];
  await refuse();
  expect(await workspaces.find({ team: 'T1', orgWide: false })).toBeDefined();
});
