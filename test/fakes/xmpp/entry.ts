/** The channel XMPP as an operator loads it: its package, as an entry of `channels` in the configuration. */

const MODULE = new URL('../../../channels/xmpp', import.meta.url).pathname;

export const xmppEntry = (settings: object): object => ({ module: MODULE, settings });

/** Returns a line of a configuration file in YAML. */
export const xmppLine = (settings: object): string => `channels: [${JSON.stringify(xmppEntry(settings))}]`;
