/** The bridge and a platform as separate processes, and the fake Slack that asks them. */

import { type FakeSlack, type FakeSlackOptions, startFakeSlack } from '../../fakes/slack/index.ts';
import { openProcesses, type Processes } from '../channel/processes.ts';

/** Latency of each call, in milliseconds, as assumed by the targets. */
export const LATENCY_MS = 80;

export interface House extends Processes {
  readonly slack: FakeSlack;
  close(): Promise<void>;
}

export interface HouseOptions extends FakeSlackOptions {
  /** False: replies are shown by edits. */
  readonly streaming?: boolean;
}

/** Everything opened is closed again, even if a later part fails to open. */
export async function openHouse({ streaming = true, ...options }: HouseOptions = {}): Promise<House> {
  const opened = new AsyncDisposableStack();
  try {
    const slack = opened.adopt(await startFakeSlack({ latencyMs: LATENCY_MS, ...options }), (it) =>
      it.close(),
    );
    const processes = await openProcesses(opened, {
      line: `slack: { streaming: ${streaming ? 'always' : 'never'} }`,
      environment: {
        SLACK_BOT_TOKEN: slack.workspace().token,
        SLACK_SIGNING_SECRET: slack.app.signingSecret,
        SLACK_API_URL: slack.apiUrl,
      },
    });
    slack.deliverTo(`${processes.bridge}/slack/events`);
    return { ...processes, slack, close: () => opened.disposeAsync() };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}
