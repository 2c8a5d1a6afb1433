/** Logs problems with reaching Slack, each one once until Slack can be reached again. */

import { WebAPIPlatformError } from '@slack/web-api';
import { BridgeError, type Log } from '../../../src/kit.ts';
import { codeOf } from '../api/errors.ts';

/** Maximum UTF-16 units of a logged reason. */
const REASON = 200;

export type Reach = ReturnType<typeof createReach>;

/** Creates the log of the whole adapter: while Slack cannot be reached, all its calls fail for the same reason. */
export function createReach(log: Log) {
  const told = new Set<string>();
  return {
    /**
     * Logs a failure: a problem is a warning the first time, and then a debug line until Slack is reached again.
     * @param nextMs milliseconds until the next attempt
     */
    failed(err: unknown, nextMs: number): void {
      const { trouble, told: text } = read(err);
      const next = `the next attempt is in ${nextMs / 1000} s`;
      if (told.has(trouble)) log.debug({ err }, `${text}; ${next}`);
      else log.warn({}, `${text}; ${next}`);
      told.add(trouble);
    },
    reached(): void {
      if (told.has(UNREACHABLE)) log.info({}, 'Slack can be reached again');
      told.clear();
    },
  };
}

const UNREACHABLE = 'Slack cannot be reached';

/** Returns the sentence to log, and a key that is the same for troubles that are logged once. */
function read(thrown: unknown): { trouble: string; told: string } {
  if (thrown instanceof WebAPIPlatformError) {
    const said = `Slack refuses Socket Mode (${codeOf(thrown.data.error)})`;
    const cure =
      'Set SLACK_APP_TOKEN to an app-level token (xapp-…) with connections:write, and switch Socket Mode on in the app';
    return { trouble: said, told: `${said}. ${cure}` };
  }
  if (thrown instanceof BridgeError && thrown.code === 'config-invalid') {
    return { trouble: thrown.message, told: thrown.message.replace(/\.$/, '') };
  }
  return { trouble: UNREACHABLE, told: `${UNREACHABLE} (${reasonOf(thrown)})` };
}

/** Returns the message of the innermost error in one line: those around it only say that a request failed. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'for an unknown reason';
  if (thrown.cause instanceof Error) return reasonOf(thrown.cause);
  const code = 'code' in thrown ? String(thrown.code) : thrown.name;
  const [line = ''] = thrown.message.split('\n', 1);
  return (line === '' ? code : line).slice(0, REASON).toWellFormed();
}
