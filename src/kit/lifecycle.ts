import { BridgeError } from '../errors.ts';
import type { AdapterHost } from './host.ts';

/**
 * Returns the `start` and `stop` of an adapter whose parts exist only while it runs. `open` returns these parts, and
 * throws `internal` if the adapter was not started.
 * @param channel the channel's display name
 */
export function createLifecycle<Parts extends { stop(): Promise<void> }>(
  channel: string,
  startParts: (host: AdapterHost) => Promise<Parts>,
) {
  let parts: Parts | undefined;
  return {
    open(): Parts {
      if (parts) return parts;
      throw new BridgeError('internal', `${channel} was used before it was started.`);
    },
    async start(host: AdapterHost): Promise<void> {
      parts = await startParts(host);
    },
    async stop(): Promise<void> {
      await parts?.stop();
      parts = undefined;
    },
  };
}
