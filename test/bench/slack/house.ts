/** Starts the bridge and a platform as separate processes, and the fake Slack, through which the questions come. */

import { install, slackEnvironment } from '../../fakes/history/house.ts';
import { type FakeSlack, type FakeSlackOptions, startFakeSlack } from '../../fakes/slack/index.ts';
import { openProcesses, type Processes } from '../channel/processes.ts';
import { freePort } from '../free-ports.ts';

/** Milliseconds that each call to Slack takes; the targets assume this value. */
export const LATENCY_MS = 80;

export interface House extends Processes {
  readonly slack: FakeSlack;
  close(): Promise<void>;
}

export interface HouseOptions extends FakeSlackOptions {
  /** False if replies are shown by edits instead of streams. */
  readonly streaming?: boolean;
  /** Number of workspaces that install the app; absent: one workspace, whose token the bridge is given. */
  readonly tenants?: number;
  /** Maximum number of concurrent turns; default 500. */
  readonly turns?: number;
  /** Variables that choose the bridge's store. */
  readonly engine?: Readonly<Record<string, string>>;
  /** Settings of the console; by default, the console is off. */
  readonly console?: string;
  /** Number of bridges that share the store; default 1. */
  readonly replicas?: number;
  /** Further variables of the bridge. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts all parts. If one fails to start, those already started are closed. */
export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const {
    streaming = true,
    tenants,
    turns,
    engine = {},
    console: own,
    replicas = 1,
    variables = {},
    ...slackOptions
  } = options;
  const opened = new AsyncDisposableStack();
  try {
    const workspaces = Array.from({ length: tenants ?? 1 }, () => ({ installed: tenants === undefined }));
    const slack = opened.adopt(
      await startFakeSlack({ latencyMs: LATENCY_MS, workspaces, ...slackOptions }),
      (it) => it.close(),
    );
    const processes = await openProcesses(opened, {
      line: `slack: { streaming: ${streaming ? 'always' : 'never'} }`,
      environment: {
        ...(await (tenants === undefined ? tokenOf(slack) : oauthOf(slack))),
        ...engine,
        ...variables,
      },
      replicas,
      ...(turns !== undefined && { turns }),
      ...(own !== undefined && { console: own }),
    });
    slack.deliverTo(`${processes.bridge}/slack/events`);
    if (tenants !== undefined)
      for (const id of slack.world.workspaces.keys()) await install(slack, processes.bridge, id);
    return { ...processes, slack, close: () => opened.disposeAsync() };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

/** Returns the variables of a bridge for the first workspace of this Slack. */
export const tokenOf = (slack: FakeSlack) => ({
  SLACK_BOT_TOKEN: slack.workspace().token,
  SLACK_SIGNING_SECRET: slack.app.signingSecret,
  SLACK_API_URL: slack.apiUrl,
});

async function oauthOf(slack: FakeSlack) {
  const port = await freePort();
  return slackEnvironment(slack, { port, url: `http://127.0.0.1:${port}` });
}
