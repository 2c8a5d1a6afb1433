import { createLifecycle, type IdentityProof } from '../../src/kit/ladder.ts';
import { BridgeError, type ChannelAdapter } from '../../src/kit.ts';
import type { Caller } from './api/sender.ts';
import type { SlackConfig } from './config.ts';
import { CHANNEL } from './ids.ts';
import { openFile } from './inbound/files.ts';
import { words } from './interactions/words.ts';
import { limits } from './limits.ts';
import { startSlack } from './start.ts';

/**
 * Creates the Slack channel, which receives events over HTTP or Socket Mode.
 * @param watch returns a caller that also observes each call
 */
export function createSlack(config: SlackConfig, watch?: (call: Caller) => Caller): ChannelAdapter {
  const { open, start, stop } = createLifecycle('Slack', (host) => startSlack(config, host, watch));
  const proof = (): IdentityProof => {
    const made = open().proof;
    if (made) return made;
    throw new BridgeError('internal', 'Slack was asked for a proof of identity, but linkBySignIn is off.');
  };
  return {
    name: CHANNEL,
    limits,
    abilities: {
      waiting: {
        async say(turn, ahead, text) {
          open().hourglass.put(turn, ahead);
          // A question that waits for another reason than a running answer has a text, or no question before it.
          const offersInstead = text === undefined && ahead > 0;
          await open().interactions.sayWaiting(turn, text ?? words.waiting(ahead), offersInstead);
        },
      },
      answers: (message) => open().answers(message),
      lookup: {
        complete: (message, signal) => open().lookup.complete(message, signal),
        sender: (message, signal) => open().lookup.sender(message, signal),
        history: (message, agent, signal) => open().lookup.history(message, agent, signal),
      },
      ...(config.openId && {
        identityProof: {
          begin: (attempt) => proof().begin(attempt),
          finish: (query, nonce) => proof().finish(query, nonce),
        },
      }),
    },
    start,
    stop,
    writer(turn) {
      open().hourglass.take(turn);
      return open().writer(turn);
    },
    openFile(file, limit, signal) {
      const { workspaces, calls } = open();
      return openFile(file, limit, { workspaces, calls, apiUrl: config.apiUrl }, signal);
    },
  };
}
