/** The record of a run through any channel. */

import type { FakeSlack } from '../slack/index.ts';
import type { FakeTeams } from '../teams/index.ts';
import type { History } from './kept.ts';
import type { ScriptedPlatform } from './platform.ts';
import { slackRecord } from './slack-record.ts';
import { teamsRecord } from './teams-record.ts';

export type { Called, History, Place, Question, Shown } from './kept.ts';

/** The parts of a test house that the checker needs. */
export type Run = {
  readonly platform: ScriptedPlatform;
  /** Times at which the bridge was killed or restarted. */
  readonly breaks: readonly number[];
} & ({ readonly slack: FakeSlack } | { readonly teams: FakeTeams });

export function recordOf(run: Run): History {
  const seen = 'slack' in run ? slackRecord(run.slack) : teamsRecord(run.teams);
  const askings = run.platform.askings.map((asking) => ({ ...asking }));
  return { ...seen, askings, breaks: [...run.breaks] };
}

/** Number of calls that the channel received. */
export const callCount = (run: Run): number =>
  ('slack' in run ? run.slack.log.calls : run.teams.log.calls).length;
