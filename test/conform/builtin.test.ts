/** Runs the checks of `parley conform` on the built-in channels, over the fakes that stand for their chats. */

import { describe, expect, test } from 'vitest';
import { conform } from '../../src/conform/run.ts';
import * as kit from '../../src/kit/package.ts';
import { project } from '../fakes/outside/candidate.ts';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import * as webConsole from './console.ts';
import * as slack from './slack.ts';
import * as teams from './teams.ts';
import * as xmpp from './xmpp.ts';

interface Checked {
  readonly name: string;
  readonly channel: kit.Channel;
  readonly openRig: kit.OpenRig;
  /** Ids of the checks that cannot run with this rig. */
  readonly notChecked: readonly string[];
}

const faults = ['lost', 'hidden', 'hang', 'rate', 'busy', 'invalid', 'gone'].map((each) => `faults.${each}`);

const channels: readonly Checked[] = [
  {
    name: 'Slack, as streams',
    channel: slack.channel(),
    openRig: slack.openSlack('always'),
    notChecked: ['pacing.one-call'],
  },
  {
    name: 'Slack, as edits',
    channel: slack.channel(),
    openRig: slack.openSlack('never'),
    notChecked: ['pacing.one-call'],
  },
  {
    name: 'Teams, which may read messages',
    channel: teams.channel(),
    openRig: teams.openTeams(true),
    notChecked: ['intake.own-message', 'pacing.one-call'],
  },
  {
    name: 'Teams, which may not read messages',
    channel: teams.channel(),
    openRig: teams.openTeams(false),
    notChecked: ['intake.own-message', 'pacing.one-call'],
  },
  {
    name: 'the console',
    channel: webConsole.channel(),
    openRig: webConsole.conform,
    // The console calls no other service. Its page is tested in a browser (test/e2e/page).
    notChecked: ['intake.own-message', ...faults, 'hostile.text', 'hostile.members', 'pacing.one-call'],
  },
];

const SEED = 11;
const RUNS = 10;

async function expectConforms({ channel, openRig, notChecked }: Omit<Checked, 'name'>): Promise<void> {
  const report = await conform({ channel, openRig, kit, project }, { seed: SEED, runs: RUNS });
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  const left = report.checks.filter(({ status }) => status === 'not-checked').map(({ id }) => id);
  expect(left.toSorted()).toEqual(notChecked.toSorted());
}

test.each(channels)('$name conforms', expectConforms);

describe('XMPP', () =>
  onServers((name) => {
    test('conforms', () =>
      expectConforms({
        channel: xmpp.channel(),
        openRig: xmpp.openXmpp(name),
        // No server refuses a message because of its form.
        notChecked: ['faults.invalid'],
      }));
  }));
