/**
 * Runs the whole bridge, in the test or as a process, between a fake Slack with many workspaces and the scripted
 * platform.
 */

import { freePorts } from '../../bench/free-ports.ts';
import { makeDataFolder } from '../../e2e/house/running-parley.ts';
import { type FakeSlack, type FakeSlackOptions, startFakeSlack } from '../slack/index.ts';
import { createLife, type Life } from './life.ts';
import { type ScriptedPlatform, startPlatform } from './platform.ts';

/**
 * Time limit and pauses of event delivery. The limit is long, because a bridge that shares its process with the fakes
 * and the checker may acknowledge an event late on a busy machine, which is not a fault. The pauses are 5 s at most,
 * because no test waits a minute until an event is sent again.
 */
const UNHURRIED = { answerWithinMs: 20_000, retriesMs: [0, 1_000, 5_000] };

export interface HouseOptions extends FakeSlackOptions {
  /** Number of workspaces with the app; default 1. */
  readonly tenants?: number;
  /** `process`: a separate process that can be killed. */
  readonly bridge?: 'inside' | 'process';
  readonly streaming?: boolean;
  /** Settings of `platform.outage`, as YAML. */
  readonly outage?: string;
  /** Further variables of the bridge, such as those of its database. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface House {
  readonly slack: FakeSlack;
  readonly platform: ScriptedPlatform;
  readonly url: string;
  /** Times at which the bridge was killed or restarted. */
  readonly breaks: number[];
  life(): Life;
  /** Starts the bridge again on the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const {
    tenants = 1,
    bridge = 'inside',
    streaming = true,
    outage = '{}',
    environment = {},
    ...slackOptions
  } = options;
  const opened = new AsyncDisposableStack();
  try {
    const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const platform = opened.adopt(await startPlatform(), (it) => it.close());
    const workspaces = Array.from({ length: tenants }, () => ({ installed: false }));
    const slack = opened.adopt(
      await startFakeSlack({
        workspaces,
        limits: { off: true },
        ...(bridge === 'inside' && { deliveryTimes: UNHURRIED }),
        ...slackOptions,
      }),
      (it) => it.close(),
    );
    const [port] = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    const begin = await createLife({
      ...{ data, bridge, outage, platform: platform.url },
      channel: `slack: { streaming: ${streaming ? 'always' : 'never'} }`,
      environment: { ...slackEnvironment(slack, { port: port ?? 0, url }), ...environment },
    });
    let life = await begin();
    opened.defer(() => life.stop());
    for (const { id } of slack.world.workspaces.values()) await install(slack, url, id);
    slack.deliverTo(`${url}/slack/events`);
    slack.log.clear();
    const breaks: number[] = [];
    return {
      slack,
      platform,
      url,
      breaks,
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

interface Place {
  readonly port: number;
  readonly url: string;
}

export const slackEnvironment = ({ app, apiUrl }: FakeSlack, { port, url }: Place) => ({
  PORT: String(port),
  PARLEY_PUBLIC_URL: url,
  SLACK_API_URL: apiUrl,
  SLACK_SIGNING_SECRET: app.signingSecret,
  SLACK_CLIENT_ID: app.clientId,
  SLACK_CLIENT_SECRET: app.clientSecret,
  SLACK_STATE_SECRET: 'a state secret of the test',
});

/**
 * Installs the app as a browser does. Opens the bridge's page, then Slack's page, then the bridge's redirect address
 * with the cookie.
 */
export async function install({ oauth }: FakeSlack, address: string, team: string): Promise<void> {
  oauth.consent.team = team;
  const begun = await fetch(`${address}/slack/install`, { redirect: 'manual' });
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const agreed = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  const back = new URL(agreed.headers.get('location') ?? '');
  const done = await fetch(`${address}${back.pathname}${back.search}`, { headers: { cookie } });
  if (done.status !== 200) throw new Error(`The app was not installed: ${await done.text()}`);
}
