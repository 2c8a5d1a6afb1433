import { createLifecycle, type SignIn } from '../../src/kit/ladder.ts';
import { BridgeError, type ChannelAdapter } from '../../src/kit.ts';
import type { Connector } from './api/connector.ts';
import type { TeamsConfig } from './config.ts';
import { CHANNEL } from './ids.ts';
import { openFile } from './inbound/files.ts';
import { limits } from './limits.ts';
import { type Running, startTeams } from './start.ts';

/**
 * Creates the Microsoft Teams channel: personal chats, group chats and channels.
 * @param watch returns a connector that also observes each call
 */
export function createTeams(
  config: TeamsConfig,
  watch?: (connector: Connector) => Connector,
): ChannelAdapter {
  const { open, start, stop } = createLifecycle('Teams', (host) => startTeams(config, host, watch));
  return {
    name: CHANNEL,
    limits,
    abilities: {
      waiting: { say: async (turn, ahead) => open().waiting.put(turn, ahead) },
      answers: (message) => open().answers(message),
      lookup: {
        complete: (message, signal) => open().lookup.complete(message, signal),
        sender: (message, signal) => open().lookup.sender(message, signal),
      },
      ...(config.singleSignOn !== undefined && { signIn: signInOf(open) }),
    },
    start,
    stop,
    writer(turn) {
      open().waiting.take(turn);
      return open().writer(turn);
    },
    openFile: (file, limit, signal) => openFile(file, limit, open(), signal),
  };
}

/** Returns the sign-in of the running adapter. Called only if single sign-on is set. */
function signInOf(open: () => Running): SignIn {
  const ability = (): SignIn => {
    const { signOn } = open();
    if (signOn !== undefined) return signOn.ability;
    throw new BridgeError('internal', 'Single sign-on is off.');
  };
  return {
    isPossible: (thread) => ability().isPossible(thread),
    begin: (turn, signal) => ability().begin(turn, signal),
    end: (turn) => ability().end(turn),
  };
}
