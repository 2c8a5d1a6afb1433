/**
 * Acts of people in an app that a whole organization installed: Slack names no workspace, or another one
 * (https://github.com/slackapi/bolt-python/pull/23, https://github.com/slackapi/bolt-js/issues/1875).
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Turn } from '../../../src/kit.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { installIn, mention, oauthConfig } from './receive/install-rig.ts';
import { type Rig, startRig } from './rig.ts';
import { openSmallSlack, type SmallSlack } from './small-slack.ts';

const TURN = '0199d3a0-0000-7000-8000-000000000001';
let slack: SmallSlack;
let rig: Rig;

const org = {
  enterprise_id: 'E1',
  authorizations: [{ enterprise_id: 'E1', team_id: null, is_enterprise_install: true }],
};
const inTeam = (team: string, channel: string) => {
  const { event, ...rest } = mention('E1', { team_id: team, ...org, event_id: `Ev${team}${channel}` });
  return { ...rest, event: { ...event, channel } };
};

beforeEach(async () => {
  slack = await openSmallSlack();
  slack.answers['users.info'] = ({ args }) => ({
    ok: true,
    user: { id: args.user, team_id: 'T3', real_name: 'Ada', enterprise_user: { enterprise_id: 'E1' } },
  });
  rig = await startRig(oauthConfig(slack), { clock: createVirtualClock({ start: Date.now() }) });
  await installIn(rig, slack, { org: 'E1' });
  // C1 is in one workspace, C2 in two; T3 is the home of the person.
  for (const [team, channel] of [
    ['T3', 'C3'],
    ['T7', 'C1'],
    ['T8', 'C2'],
    ['T7', 'C2'],
  ] as const)
    await rig.send(inTeam(team, channel));
  rig.taken.length = 0;
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

const around = {
  team: null,
  enterprise: { id: 'E1', name: 'Org' },
  is_enterprise_install: true,
  trigger_id: 'q.1',
};
const people = [
  ['of the organization', { id: 'U1', team_id: 'E1' }],
  ['of another workspace', { id: 'U1', team_id: 'T3' }],
  ['of an unknown workspace', { id: 'U1', team_id: 'T99' }],
  ['without a workspace', { id: 'U1' }],
] as const;
const press = (action: string, channel: string, over: object = {}) => ({
  type: 'block_actions',
  ...around,
  user: { id: 'U1', team_id: 'E1' },
  container: { type: 'message', channel_id: channel, message_ts: '5.000001', thread_ts: '1793491200.000100' },
  channel: { id: channel, name: 'c' },
  actions: [
    {
      type: 'button',
      action_id: `reply:${action}`,
      value: `${TURN} room ${channel} 1793491200.000100 /1793491200.000100 `,
      action_ts: '6.000001',
    },
  ],
  ...over,
});
const tenants = () =>
  rig.taken
    .map((event) => (event.kind === 'ask' ? event.message : (event as { thread: { tenant: string } })))
    .map((each) => ('thread' in each ? each.thread.tenant : ''));

describe.each(people)('a press by a person %s', (_, user) => {
  test.each(['stop', 'retry', 'regenerate'])('on %s reaches the workspace of the room', async (action) => {
    expect(await rig.send(press(action, 'C1', { user }))).toBe(200);
    await expect.poll(tenants).toEqual(['T7']);
  });

  test.each(['T7', 'T8'])('in a room of two workspaces reaches the one of the reply, %s', async (tenant) => {
    rig.finished.set(TURN, tenant);
    await rig.send(press('regenerate', 'C2', { user }));
    await expect.poll(tenants).toEqual([tenant]);
  });

  test('on a reply that no workspace of the organization has reaches none of them', async () => {
    rig.finished.set(TURN, 'T999');
    await rig.send(press('stop', 'C2', { user }));
    await expect.poll(() => rig.taken.length).toBe(1);
    expect(tenants()).toEqual(['E1']);
  });
});

test('a press in a room that no event named finds its reply', async () => {
  rig.finished.set(TURN, 'T8');
  await rig.send(press('regenerate', 'D5', { user: { id: 'U1', team_id: 'T3' } }));
  await expect.poll(tenants).toEqual(['T8']);
});

test('a press in a room of two workspaces finds its running reply', async () => {
  rig.running.set('T8', [{ id: TURN } as Turn]);
  await rig.send(press('stop', 'C2'));
  await expect.poll(tenants).toEqual(['T8']);
});

test('a press on a reply that no workspace has does not count in the home of the person', async () => {
  await rig.send(press('stop', 'D5', { user: { id: 'U1', team_id: 'T3' } }));
  await expect.poll(tenants).toEqual(['E1']);
});

test('a press in which Slack names another workspace finds its reply', async () => {
  rig.finished.set(TURN, 'T7');
  await rig.send(press('regenerate', 'C1', { team: { id: 'T8', enterprise_id: 'E1' } }));
  await expect.poll(tenants).toEqual(['T7']);
});

describe('the home', () => {
  const opened = (team: string) => {
    const { event: _, ...rest } = inTeam(team, 'D1');
    return { ...rest, event: { type: 'app_home_opened', user: 'U1', channel: 'D1', tab: 'home' } };
  };
  const shown = () =>
    slack.called('views.publish').map(({ args }) => args.view as { private_metadata?: string });
  const choose = (metadata: string | undefined) => ({
    type: 'block_actions',
    ...around,
    user: { id: 'U1', team_id: 'E1' },
    container: { type: 'view', view_id: 'V1' },
    view: { id: 'V1', type: 'home', private_metadata: metadata, team_id: 'E1', app_installed_team_id: 'E1' },
    actions: [
      {
        action_id: 'home:language',
        selected_option: { value: 'de' },
        action_ts: '7.000001',
        type: 'static_select',
      },
    ],
  });
  const preferences = () => [...rig.state.keys()].filter((key) => /preference/.test(key));

  test('names its workspace, in which a press then counts', async () => {
    await rig.send(opened('T7'));
    await expect.poll(() => shown().length).toBe(1);
    const metadata = shown()[0]?.private_metadata;
    expect(metadata).toContain('T7');
    await rig.send(choose(metadata));
    await expect.poll(() => shown().length).toBe(2);
    expect(preferences()).toEqual([expect.stringContaining('T7')]);
  });

  test.each([
    '\nT999',
    '\nE2',
    'T7',
    '\nT7 ',
  ])('with the forged workspace %j counts in none of the others', async (metadata) => {
    await rig.send(choose(metadata));
    await expect.poll(() => shown().length).toBe(1);
    expect(preferences()).toEqual([expect.stringContaining('E1')]);
  });
});

test('a command counts in the workspace that Slack names', async () => {
  const command = {
    command: '/ask',
    text: 'how long?',
    team_id: 'T8',
    enterprise_id: 'E1',
    is_enterprise_install: 'true',
    channel_id: 'C1',
    user_id: 'U1',
    trigger_id: 'q.2',
    response_url: 'https://hooks.slack.com/x',
  };
  await rig.send(command);
  expect(tenants()).toEqual(['T8']);
});

test('a shortcut opens a form that names the person’s workspace, and the form counts there', async () => {
  const user = { id: 'U1', team_id: 'T3' };
  await rig.send({ type: 'shortcut', callback_id: 'ask_anywhere', ...around, user });
  await expect.poll(() => slack.called('views.open').length).toBe(1);
  const view = slack.called('views.open')[0]?.args.view as { private_metadata: string };
  expect(view.private_metadata).toContain('T3');
  slack.answers['chat.postMessage'] = () => ({ ok: true, channel: 'D1', ts: '8.000001' });
  const values = { question: { question: { type: 'plain_text_input', value: 'how long?' } } };
  await rig.send({
    type: 'view_submission',
    ...around,
    user: { id: 'U1', team_id: 'E1' },
    view: { ...view, id: 'V2', callback_id: 'ask', state: { values } },
  });
  await expect.poll(tenants).toEqual(['T3']);
});
