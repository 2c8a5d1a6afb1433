/** Logs that Slack cannot be reached. Each problem is logged once until Slack can be reached again. */

import { WebAPIPlatformError } from '@slack/web-api';
import { BridgeError, type Log } from '../../../src/kit.ts';
import { codeOf } from '../api/errors.ts';
import { reasonOf } from '../api/sender.ts';
import { cureOf } from '../cures.ts';

export type Reach = ReturnType<typeof createReach>;

/**
 * Creates the log of failed attempts. The whole adapter shares it: while Slack cannot be reached, all calls fail for
 * the same reason, which is then logged as a warning only once.
 */
export function createReach(log: Log) {
  const logged = new Set<string>();
  return {
    /**
     * Logs a failed attempt: as a warning the first time, then at debug level until Slack is reached again.
     * @param nextMs milliseconds until the next attempt
     */
    failed(err: unknown, nextMs: number): void {
      const { trouble, told: text } = read(err);
      const next = `the next attempt is in ${nextMs / 1000} s`;
      if (logged.has(trouble)) log.debug({ err }, `${text}; ${next}`);
      else log.warn({}, `${text}; ${next}`);
      logged.add(trouble);
    },
    reached(): void {
      if (logged.has(UNREACHABLE)) log.info({}, 'Slack can be reached again');
      logged.clear();
    },
  };
}

/** Slack closed a Socket Mode connection, for a reason such as `too_many_websockets`. */
export class ConnectionClosed extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`Slack closed the connection (${reason})`);
    this.reason = reason;
  }
}

const UNREACHABLE = 'Slack cannot be reached';

/**
 * Returns the sentence to log (`told`), and a key (`trouble`). Of several problems with the same key, only the first is
 * logged as a warning.
 */
function read(thrown: unknown): { trouble: string; told: string } {
  const code = codeIn(thrown);
  if (code !== undefined) {
    const trouble = `Slack refuses Socket Mode (${code})`;
    return { trouble: trouble, told: `${trouble}. ${socketCure(code)}` };
  }
  if (thrown instanceof BridgeError && thrown.code === 'config-invalid') {
    return { trouble: thrown.message, told: thrown.message.replace(/\.$/, '') };
  }
  return { trouble: UNREACHABLE, told: `${UNREACHABLE} (${reasonOf(thrown)})` };
}

/** Returns Slack's code for the refusal or the end of a connection. */
function codeIn(thrown: unknown): string | undefined {
  if (thrown instanceof WebAPIPlatformError) return codeOf(thrown.data.error);
  return thrown instanceof ConnectionClosed ? thrown.reason : undefined;
}

/** Returns what the operator can do after Slack's code. Has no full stop, because a further clause follows. */
export function socketCure(code: string): string {
  switch (code) {
    case 'too_many_websockets':
      return 'Slack allows 10 connections of an app. Stop the other processes that use the same SLACK_APP_TOKEN';
    case 'link_disabled':
      return 'Switch Socket Mode on in the app, or remove SLACK_APP_TOKEN';
    case 'account_inactive':
    case 'app_uninstalled':
      return 'Install the app in the workspace again';
    case 'token_revoked':
    case 'token_expired':
      return CREATE;
    default:
      return cureOf(code) ?? CREATE;
  }
}

const CREATE =
  'Create an app-level token (xapp-…) with connections:write in "Basic Information", set SLACK_APP_TOKEN to it, and switch Socket Mode on in the app';
