import { type Logger, LogLevel } from '@slack/web-api';
import type { Log } from '../../../src/kit.ts';

/** Matches the SDK's log lines about failed requests. They become debug lines, because the caller logs the failure. */
const UNREACHED = /^(?:http request failed|Failed to retrieve a new WSS URL|WebSocket error)/;

/**
 * Returns a logger that passes the SDK's lines to the bridge's log. It drops debug lines, because they contain tokens
 * and whole messages.
 */
export function sdkLog(log: Log, part: string): Logger {
  const joined = (things: readonly unknown[]): string => things.map(String).join(' ');
  const warn = (...things: readonly unknown[]): void => {
    const line = joined(things);
    if (UNREACHED.test(line)) log.debug({ part }, line);
    else log.warn({ part }, line);
  };
  return {
    debug: () => undefined,
    info: (...things) => log.debug({ part }, joined(things)),
    warn,
    error: warn,
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
