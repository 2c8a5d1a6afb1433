import { adapters } from '../../adapters/registry.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Finding } from '../core/agents/agent.ts';
import { slackLine, slackSettings } from './slack-settings.ts';
import { teamsApp } from './teams-app.ts';
import { teamsLine, teamsSettings } from './teams-settings.ts';

/** A channel as `doctor` sees it. */
interface ChannelCheck {
  readonly what: string;
  /** Whether it is on and how. */
  line(config: Config): string;
  /** Everything that can be looked at; absent where the channel is off. */
  examine(config: Config): Promise<readonly Finding[]> | undefined;
}

const slack: ChannelCheck = {
  what: 'Slack',
  line: slackLine,
  examine(config) {
    const settings = slackSettings(config);
    return settings && adapters.slack().then((it) => it.examineSlack(settings, systemClock));
  },
};

const teams: ChannelCheck = {
  what: 'Teams',
  line: teamsLine,
  examine(config) {
    const settings = teamsSettings(config);
    return (
      settings && adapters.teams().then((it) => it.examineTeams(settings, teamsApp(config), systemClock))
    );
  },
};

/** What is found of each chat platform; of one that is off, that it is. */
export async function checkChannels(config: Config): Promise<readonly Finding[]> {
  const checks = [slack, teams].map(({ what, line, examine }) => ({
    line: { what, ok: true, detail: line(config) },
    found: examine(config),
  }));
  const isOn = checks.some(({ found }) => found !== undefined);
  const findings = await Promise.all(checks.map(async ({ line, found }) => [line, ...((await found) ?? [])]));
  return [...(isOn ? [checkKey(config)] : []), ...findings.flat()];
}

/** Channels keep secrets and answers on disk. */
function checkKey({ key }: Config): Finding {
  const detail =
    key === undefined ? 'not set: what is secret is encrypted under a key in the data folder' : 'set';
  return { what: 'PARLEY_KEY', ok: true, detail };
}
