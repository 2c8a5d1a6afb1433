/** Slack in a live check: the adapter, whose calls are recorded, and the acts. */

import { createCallRecord, type LiveChannel, liveActs } from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock } from '../../../src/kit.ts';
import type { Caller } from '../api/sender.ts';
import type { SlackConfig } from '../config.ts';
import { createSlack } from '../index.ts';
import { blocksAct } from './blocks.ts';
import { attemptOf, createSlackChat } from './chat.ts';
import { slackRows } from './rows.ts';

export function slackLive(config: SlackConfig, clock: Clock): LiveChannel {
  const { botToken, appToken } = config;
  if (botToken === undefined)
    throw new BridgeError(
      'usage',
      'A live check of Slack needs SLACK_BOT_TOKEN (slack.botToken). Install the app in a developer sandbox of its own: docs/slack.md.',
    );
  const { calls, make } = createCallRecord(clock);
  const chat = createSlackChat(config, botToken);
  const watch =
    (caller: Caller): Caller =>
    (method, args, signal, token) =>
      make(
        () => caller(method, args, signal, token),
        (answer) => ({ method, args, ...attemptOf(answer) }),
      );
  return {
    adapter: createSlack(config, watch),
    way: appToken === undefined ? 'HTTP' : 'Socket Mode',
    silence: 'Compare the app with its manifest, and stop other bridges that use the app.',
    acts: liveActs(chat, slackRows(config), [blocksAct(config, calls)], calls),
    calls,
  };
}
