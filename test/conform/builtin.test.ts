/**
 * Runs the checks of `parley conform` on Slack and Teams, over the fakes that stand for their chats, and on the console.
 */

import { test } from 'vitest';
import * as webConsole from './console.ts';
import { type Candidate, expectConforms } from './expect-conforms.ts';
import * as slack from './slack.ts';
import * as teams from './teams.ts';

interface Checked extends Omit<Candidate, 'runs'> {
  readonly name: string;
}

/** Random stories per law. The channels' `contract.test.ts` play more. */
const RUNS = 1;

/** The chats show Markdown. Their rigs know no two people of one name, and do not count calls. */
const common = ['content.markdown', 'intake.namesakes', 'pacing.one-call', 'pacing.waiting'];
const faults = ['lost', 'hidden', 'hang', 'rate', 'busy', 'invalid', 'gone'].map((each) => `faults.${each}`);

const channels: readonly Checked[] = [
  {
    name: 'Slack, as streams',
    channel: slack.channel(),
    openRig: slack.openSlack('always'),
    notChecked: common,
  },
  {
    name: 'Slack, as edits',
    channel: slack.channel(),
    openRig: slack.openSlack('never'),
    notChecked: common,
  },
  {
    name: 'Teams, which may read messages',
    channel: teams.channel(),
    openRig: teams.openTeams(true),
    notChecked: [...common, 'intake.own-message'],
  },
  {
    name: 'Teams, which may not read messages',
    channel: teams.channel(),
    openRig: teams.openTeams(false),
    notChecked: [...common, 'intake.own-message'],
  },
  {
    name: 'the console',
    channel: webConsole.channel(),
    openRig: webConsole.conform,
    // The console calls no other service. Its page is tested in a browser (test/e2e/page).
    notChecked: [
      ...common,
      ...faults,
      'intake.own-message',
      'intake.forged',
      'actions.forged',
      'hostile.text',
      'hostile.members',
    ],
  },
];

// The checks mostly wait.
test.concurrent.each(channels)('$name conforms', (checked) => expectConforms({ ...checked, runs: RUNS }));
