/** The whole bridge with a fake Teams and the scripted platform, inside the test or as a process. */

import { freePorts } from '../../bench/free-ports.ts';
import { makeDataFolder } from '../../e2e/house/running-parley.ts';
import { type FakeTeams, type FakeTeamsOptions, startFakeTeams } from '../teams/index.ts';
import { appPackage } from '../teams-app.ts';
import { createLife, type Life } from './life.ts';
import { type ScriptedPlatform, startPlatform } from './platform.ts';

export interface TeamsHouseOptions extends FakeTeamsOptions {
  /** `process`: a separate process, which the test can kill. */
  readonly bridge?: 'inside' | 'process';
  readonly streaming?: boolean;
  /** Settings of `platform.outage`, as YAML. */
  readonly outage?: string;
  /** True if owners may consent to reading all messages. */
  readonly allMessages?: boolean;
}

export interface TeamsHouse {
  readonly teams: FakeTeams;
  readonly platform: ScriptedPlatform;
  readonly url: string;
  /** Times at which the bridge was killed or restarted. */
  readonly breaks: number[];
  life(): Life;
  /** Starts the bridge again on the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function openTeamsHouse(options: TeamsHouseOptions = {}): Promise<TeamsHouse> {
  const {
    bridge = 'inside',
    streaming = true,
    allMessages = false,
    outage = '{}',
    ...teamsOptions
  } = options;
  const opened = new AsyncDisposableStack();
  try {
    const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const platform = opened.adopt(await startPlatform(), (it) => it.close());
    const teams = opened.adopt(await startFakeTeams({ limits: { off: true }, ...teamsOptions }), (it) =>
      it.close(),
    );
    teams.upload(appPackage(teams.app.id, { allMessages }));
    const [port] = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    const begin = await createLife({
      ...{ data, bridge, outage, platform: platform.url },
      channel: teamsSettings(teams, { streaming, allMessages }),
      environment: { PORT: String(port), PARLEY_PUBLIC_URL: url, ...teamsEnvironment(teams) },
    });
    let life = await begin();
    opened.defer(() => life.stop());
    teams.deliverTo(`${url}/api/messages`);
    const breaks: number[] = [];
    return {
      ...{ teams, platform, url, breaks },
      life: () => life,
      async start() {
        breaks.push(Date.now());
        life = await begin();
      },
      close: () => opened.disposeAsync(),
    };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

export const teamsSettings = (
  { services }: FakeTeams,
  { streaming, allMessages }: { readonly streaming: boolean; readonly allMessages: boolean },
): string =>
  `teams: { streaming: ${streaming}, allMessages: ${allMessages}, services: ${JSON.stringify(services)} }`;

export const teamsEnvironment = (teams: FakeTeams) => ({
  MICROSOFT_APP_ID: teams.app.id,
  MICROSOFT_APP_TENANT_ID: teams.tenant().id,
  MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
});
