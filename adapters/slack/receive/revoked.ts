/**
 * Checks tokens that Slack refuses. A single refusal may be a fault of Slack's, so a workspace is switched off only if
 * `auth.test` refuses its token repeatedly. Other workspaces are not affected (fault F21: token revoked).
 */

import { LRUCache } from 'lru-cache';
import { share } from '../../../src/kit/ladder.ts';
import type { Clock, Log } from '../../../src/kit.ts';
import type { Caller } from '../api/sender.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';

/** Pauses between the attempts of a check, in milliseconds. */
const PAUSES_MS = [1_000, 5_000];
/** Time after which a refused token is checked again when it is needed, in milliseconds. */
const AGAIN_MS = 5 * 60_000;
/** Maximum number of tokens that are remembered. */
const MAX_TOKENS = 10_000;

interface RevokedDeps {
  readonly call: Caller;
  /** Name of the setting that contains the token; absent if workspaces install the app themselves. */
  readonly setting?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The result of a check. `unknown`: Slack did not answer, or refused for another reason. */
type Standing = 'works' | 'refused' | 'unknown';

const cureOf = (setting: string | undefined): string =>
  setting === undefined
    ? 'Slack refuses the token of this workspace. Install the app there again.'
    : `Slack refuses the token in ${setting}. Copy the bot token again from "OAuth & Permissions" of the app.`;

export type Revoked = ReturnType<typeof createRevoked>;

export function createRevoked({ call, setting, clock, log, signal }: RevokedDeps) {
  /** Asks Slack once. */
  const ask = async (token: string): Promise<Standing> => {
    const answer = await call('auth.test', {}, signal, token);
    if (answer.kind === 'done') return 'works';
    const isRefused = answer.error === 'token_expired' || (answer.kind === 'refused' && answer.why === 'off');
    return isRefused ? 'refused' : 'unknown';
  };
  const askAgain = async (token: string): Promise<Standing> => {
    for (const pause of PAUSES_MS) {
      const standing = await ask(token);
      if (standing !== 'refused') return standing;
      await clock.wait(pause, signal);
    }
    return ask(token);
  };
  /** Refused tokens, with the times of their last checks. */
  const refused = new LRUCache<string, number>({ max: MAX_TOKENS });
  const checking = new LRUCache<string, Promise<Standing>>({ max: MAX_TOKENS });
  /** Checks the token. Concurrent callers share one check. */
  const check = ({ token, tenant }: Workspace): Promise<Standing> => {
    const running = checking.get(token);
    if (running !== undefined) return running;
    const made = share(
      checking,
      token,
      askAgain(token).catch(() => 'unknown' as const),
    );
    void made.then((standing) => {
      if (checking.peek(token) !== made) return;
      checking.delete(token);
      if (standing === 'works' && refused.delete(token))
        log.info({ tenant }, 'Slack accepts the token of this workspace again');
      if (standing !== 'refused') return;
      if (!refused.has(token)) log.error({ tenant }, cureOf(setting));
      refused.set(token, clock.now());
    });
    return made;
  };
  const isOff = (workspace: Workspace): boolean => {
    const checkedAt = refused.get(workspace.token);
    if (checkedAt === undefined) return false;
    if (Math.abs(clock.now() - checkedAt) >= AGAIN_MS) void check(workspace);
    return true;
  };
  return {
    ask,
    /** Forgets that Slack refused the token. Called after a new installation, which may bring the same token. */
    forget(token: string): void {
      refused.delete(token);
      checking.delete(token);
    },
    /** Wraps the look-up of workspaces, so that no call uses a refused token. */
    guard: (workspaces: Omit<Workspaces, 'disable'>): Workspaces => ({
      ...workspaces,
      async ofTenant(tenant) {
        const workspace = await workspaces.ofTenant(tenant);
        return workspace === undefined || isOff(workspace) ? undefined : workspace;
      },
      disable: async (workspace) => (await check(workspace)) !== 'refused',
    }),
  };
}
