import { type Logger, LogLevel } from '@slack/web-api';
import type { Log } from '../../../src/kit.ts';

/** Logged at debug only, because the caller of a failed request logs it once. */
const UNREACHED = /^(?:http request failed|Failed to retrieve a new WSS URL|WebSocket error)/;

/** Logged at debug only, because the bridge itself warns of each unknown workspace once. */
const UNKNOWN = /^Authorization of incoming event did not succeed/;

/**
 * Passes the SDK's log lines to the bridge's log. Its debug lines contain tokens and whole messages, so they are
 * dropped.
 */
export function sdkLog(log: Log, part: string): Logger {
  const said = (things: readonly unknown[]): string => things.map(String).join(' ');
  const warn = (...things: readonly unknown[]): void => {
    const line = said(things);
    if (UNREACHED.test(line) || UNKNOWN.test(line)) log.debug({ part }, line);
    else log.warn({ part }, line);
  };
  return {
    debug: () => undefined,
    info: (...things) => log.debug({ part }, said(things)),
    warn,
    error: warn,
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
