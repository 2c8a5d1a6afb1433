/** Starts the bridge and a platform as separate processes, and the fake Slack, through which the questions come. */

import { type FakeSlack, type FakeSlackOptions, startFakeSlack } from '../../fakes/slack/index.ts';
import { openProcesses, type Processes } from '../channel/processes.ts';

/** Milliseconds that each call to Slack takes; the targets assume this value. */
export const LATENCY_MS = 80;

export interface House extends Processes {
  readonly slack: FakeSlack;
  close(): Promise<void>;
}

export interface HouseOptions extends FakeSlackOptions {
  /** False if replies are shown by edits instead of streams. */
  readonly streaming?: boolean;
}

/** Starts all parts. If one fails to start, those already started are closed. */
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
