import { type Logger, LogLevel } from '@slack/web-api';
import type { Log } from '../../../src/kit.ts';

/** What the SDK says, in the bridge's log. Its debug lines hold tokens and whole messages, so they are dropped. */
export function sdkLog(log: Log, part: string): Logger {
  const said = (things: readonly unknown[]): string => things.map(String).join(' ');
  return {
    debug: () => undefined,
    info: (...things) => log.debug({ part }, said(things)),
    warn: (...things) => log.warn({ part }, said(things)),
    error: (...things) => log.warn({ part }, said(things)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
