/** Runs the bridge with a fake Slack and a fake Teams. */

import type { FakeSlack } from '../../fakes/slack/index.ts';
import type { FakeTeams } from '../../fakes/teams/index.ts';
import { type ParleyInside, runInside } from './parley-inside.ts';
import type { DataFolder } from './running-parley.ts';

/** Starts Parley with the first workspace of the fake Slack and the first tenant of the fake Teams. */
export async function runWithChats(
  data: DataFolder,
  { slack, teams }: { readonly slack: FakeSlack; readonly teams: FakeTeams },
  environment: Readonly<Record<string, string>>,
): Promise<ParleyInside> {
  const parley = await runInside(data, {
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.workspace().token,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    MICROSOFT_APP_ID: teams.app.id,
    MICROSOFT_APP_TENANT_ID: teams.tenant().id,
    MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
    ...environment,
  });
  slack.deliverTo(`${parley.url}/slack/events`);
  teams.deliverTo(`${parley.url}/api/messages`);
  return parley;
}
