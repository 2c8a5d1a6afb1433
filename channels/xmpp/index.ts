import { BridgeError, type ChannelAdapter } from 'parley/kit';
import { limitsOf } from './limits.ts';
import { CHANNEL } from './protocol.ts';
import type { XmppConfig } from './settings.ts';
import { type Running, startXmpp } from './start.ts';

/** Creates the XMPP channel: rooms and direct chats of one account. */
export function createXmpp(config: XmppConfig): ChannelAdapter {
  let running: Running | undefined;
  const open = (): Running => {
    if (running) return running;
    throw new BridgeError('internal', 'XMPP was used before it was started.');
  };
  return {
    name: CHANNEL,
    limits: limitsOf(config.messagesPerSecond),
    abilities: {
      waiting: { say: async (turn, ahead, text) => open().waiting(turn, ahead, text) },
      answers: async () => open().isOnline(),
    },
    async start(host) {
      running = await startXmpp(config, host);
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    async forget(target) {
      if (target.kind === 'person') running?.forget(target.person);
      return {};
    },
    writer: (turn) => open().writer(turn),
    openFile: (file, limit, signal) => open().openFile(file, limit, signal),
  };
}
