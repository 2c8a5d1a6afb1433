/** Slack in a live check: the adapter, whose calls are recorded, and the acts. */

import { type LiveAct, type LiveCall, type LiveChannel, LiveFault } from '../../../src/kit/ladder.ts';
import { BridgeError } from '../../../src/kit.ts';
import type { SlackConfig } from '../config.ts';
import { createSlack } from '../index.ts';
import { answerActs } from './answers.ts';
import { blocksAct } from './blocks.ts';
import { createLiveChat, recording } from './chat.ts';
import { limitActs } from './limits.ts';
import { conversationActs } from './people.ts';
import { pressActs } from './presses.ts';

export function slackLive(config: SlackConfig): LiveChannel {
  const { botToken, appToken } = config;
  if (botToken === undefined)
    throw new BridgeError(
      'usage',
      'A live check of Slack needs SLACK_BOT_TOKEN (slack.botToken). Install the app in a developer sandbox of its own: docs/slack.md.',
    );
  const calls: LiveCall[] = [];
  const chat = createLiveChat(config, botToken);
  const acts: readonly LiveAct[] = [
    {
      name: 'token',
      proves: 'The token of the app is accepted',
      by: 'tool',
      perform: async (stage) => {
        const began = stage.clock.now();
        await chat.call(stage, 'auth.test');
        stage.measure('auth.test, ms', stage.clock.now() - began);
      },
    },
    ...conversationActs(chat, config),
    ...pressActs(chat, config),
    ...answerActs(chat),
    ...limitActs(chat),
    blocksAct(config, calls),
    ratesAct(calls),
  ];
  const way = appToken === undefined ? 'HTTP' : 'Socket Mode';
  return {
    adapter: createSlack(
      config,
      recording(calls, () => performance.now()),
    ),
    way,
    acts,
    calls,
  };
}

const ratesAct = (calls: readonly LiveCall[]): LiveAct => ({
  name: 'rates',
  proves: "All calls of the bridge stayed within Slack's rate limits",
  by: 'tool',
  needs: ['mention'],
  async perform(stage) {
    const refused = calls.filter(({ retryAfterMs }) => retryAfterMs !== undefined);
    stage.measure('calls', calls.length);
    stage.measure('calls refused for their rate', refused.length);
    const methods = [...new Set(refused.map(({ method }) => method))].join(', ');
    if (refused.length > 0)
      throw new LiveFault(`Slack refused ${refused.length} calls for their rate: ${methods}.`);
  },
});
