/** Events about the removal of the app: of the current installation, and of an earlier one (fault F43). */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { type Rig, startRig } from '../rig.ts';
import { callback, openSmallSlack, type SmallSlack } from '../small-slack.ts';
import { installIn, mention, oauthConfig } from './install-rig.ts';

let slack: SmallSlack;
let clock: VirtualClock;
let rig: Rig;

beforeEach(async () => {
  slack = await openSmallSlack();
  clock = createVirtualClock({ start: Date.now() });
  rig = await startRig(oauthConfig(slack), { clock });
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

const removals = [
  { type: 'app_uninstalled' },
  { type: 'tokens_revoked', tokens: { oauth: [], bot: ['U0BOT'] } },
] as const;

/** Returns an event of a workspace. `at` is in seconds, relative to the installation. */
const gone = (team: string, event: object, at: number | undefined) =>
  callback(
    { event_ts: '1', ...event },
    {
      team_id: team,
      event_time: at === undefined ? undefined : (installedAt(team) ?? 0) + at,
      authorizations: [{ enterprise_id: null, team_id: team, is_enterprise_install: false }],
    },
  );
const installedAt = (id: string) =>
  (rig.secrets.get(`installation ${id}`) as { readonly installedAt?: number } | undefined)?.installedAt;
const refuse = (error: string) => {
  slack.answers['auth.test'] = () => ({ ok: false, error });
};

test('an installation is stored with its time by Slack’s clock', async () => {
  // The bridge's own clock is 10 minutes fast.
  await clock.pass(600_000);
  await installIn(rig, slack, { team: 'T1' });
  expect(Math.abs((installedAt('T1') ?? 0) - Date.now() / 1_000)).toBeLessThan(300);
});

describe.each(removals)('$type', (event) => {
  test('deletes the stored data of that workspace only', async () => {
    await installIn(rig, slack, { team: 'T1' });
    await installIn(rig, slack, { team: 'T2' });
    expect(await rig.send(gone('T1', event, 1))).toBe(200);
    expect(rig.forgotten).toEqual(['T1']);
    expect([...rig.secrets.keys()].toSorted()).toEqual(['installation T2', 'installations']);
    await rig.send(mention('T1'));
    await rig.send(mention('T2'));
    expect(rig.taken).toMatchObject([{ message: { thread: { tenant: 'T2' } } }]);
    expect(await rig.send(gone('T1', event, 1))).toBe(200);
  });

  test.each([
    -1, -60, -86_400,
  ])('is ignored %s s after the installation, also when it is repeated', async (at) => {
    await installIn(rig, slack, { team: 'T1' });
    const late = gone('T1', event, at);
    for (let times = 0; times < 3; times++) expect(await rig.send(late)).toBe(200);
    expect(rig.forgotten).toEqual([]);
    await rig.send(mention('T1'));
    expect(rig.taken).toHaveLength(1);
  });

  test.each([
    ['in the same second', 0],
    ['without a time', undefined],
  ])('%s counts only if Slack refuses the token', async (_, at) => {
    await installIn(rig, slack, { team: 'T1' });
    expect(await rig.send(gone('T1', event, at))).toBe(200);
    expect(rig.forgotten).toEqual([]);
    refuse('internal_error');
    expect(await rig.send(gone('T1', event, at))).toBe(503);
    refuse('account_inactive');
    expect(await rig.send(gone('T1', event, at))).toBe(200);
    expect(rig.forgotten).toEqual(['T1']);
  });

  test('of an installation that an older version stored counts only if Slack refuses the token', async () => {
    await installIn(rig, slack, { team: 'T1' });
    const { installedAt: _, ...older } = rig.secrets.get('installation T1') as { installedAt: number };
    await rig.close();
    rig = await startRig(oauthConfig(slack), {
      clock,
      secrets: new Map([...rig.secrets, ['installation T1', older]]),
    });
    expect(await rig.send(gone('T1', event, 2_000_000_000))).toBe(200);
    expect(rig.forgotten).toEqual([]);
    refuse('token_revoked');
    await rig.send(gone('T1', event, 2_000_000_000));
    expect(rig.forgotten).toEqual(['T1']);
  });
});

test('tokens of people are not tokens of the app', async () => {
  await installIn(rig, slack, { team: 'T1' });
  await rig.send(gone('T1', { type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } }, 1));
  expect(rig.forgotten).toEqual([]);
});

test('a new installation with the same token works after Slack refused it', async () => {
  await installIn(rig, slack, { team: 'T1', token: 'xoxb-same' });
  await rig.send(gone('T1', { type: 'app_uninstalled' }, 1));
  await installIn(rig, slack, { team: 'T1', token: 'xoxb-same' });
  await rig.send(gone('T1', { type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } }, -60));
  await rig.send(mention('T1'));
  expect(rig.taken).toHaveLength(1);
});

describe('an installation of a whole organization', () => {
  const org = (over: object = {}) => ({
    enterprise_id: 'E1',
    authorizations: [{ enterprise_id: 'E1', team_id: null, is_enterprise_install: true }],
    event_time: (installedAt('E1') ?? 0) + 1,
    ...over,
  });
  beforeEach(async () => {
    await installIn(rig, slack, { org: 'E1' });
    for (const team of ['T7', 'T8']) await rig.send(mention('E1', { team_id: team, ...org() }));
  });

  test('is deleted with the data of its workspaces when it is removed', async () => {
    await rig.send(callback({ type: 'app_uninstalled', event_ts: '1' }, { team_id: null, ...org() }));
    expect(rig.forgotten.toSorted()).toEqual(['E1', 'T7', 'T8']);
    expect([...rig.secrets.keys()].filter((key) => /^(?:installation |organisation )/.test(key))).toEqual([]);
  });

  test('stays when one of its workspaces removes an installation of its own', async () => {
    const own = {
      team_id: 'T7',
      authorizations: [{ enterprise_id: 'E1', team_id: 'T7', is_enterprise_install: false }],
    };
    await rig.send(callback({ type: 'app_uninstalled', event_ts: '1' }, org(own)));
    expect(rig.forgotten).toEqual([]);
  });

  const access = (type: string, teams: readonly string[], at: number) =>
    callback(
      { type, team_ids: teams, event_ts: '1' },
      { team_id: null, ...org(), event_time: (installedAt('E1') ?? 0) + at },
    );

  test('loses the data of the workspaces to which the organization ends the access', async () => {
    await rig.send(access('team_access_revoked', ['T7', 'T99'], 1));
    expect(rig.forgotten).toEqual(['T7']);
    await rig.send(mention('E1', { team_id: 'T8', ...org() }));
    expect(rig.taken).toHaveLength(3);
  });

  test.each([
    ['before the installation', -1],
    ['before the access was given again', 5],
  ])('keeps them if the access ended %s', async (_, at) => {
    await rig.send(access('team_access_granted', ['T7'], 10));
    await rig.send(access('team_access_revoked', ['T7'], at));
    expect(rig.forgotten).toEqual([]);
  });
});
