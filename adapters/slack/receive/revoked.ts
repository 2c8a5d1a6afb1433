/**
 * Records tokens that Slack refuses for good, so that only the workspaces of these tokens stop working (fault F21:
 * token revoked).
 */

import type { Log } from '../../../src/kit.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';

/** Slack's error codes for a token that will never work again. */
const PERMANENT = new Set(['token_revoked', 'account_inactive', 'invalid_auth', 'app_uninstalled']);
/** Maximum refused tokens that are remembered. */
const MAX_TOKENS = 10_000;

export function createRevoked(log: Log) {
  const refused = new Set<string>();
  const refuse = (token: string): void => {
    if (refused.size < MAX_TOKENS) refused.add(token);
  };
  const told = new Set<string>();
  const tell = ({ tenant, name, token }: Workspace): void => {
    if (told.has(token) || told.size >= MAX_TOKENS) return;
    told.add(token);
    log.error({ tenant, name }, 'Slack refuses the token of this workspace. Install the app there again.');
  };
  return {
    /** Notes that Slack refused a call with the token. A permanent error code makes the token unusable. */
    note(token: string, error: string): void {
      if (PERMANENT.has(error)) refuse(token);
    },
    /**
     * Wraps the look-up of workspaces, so that no call uses a refused token. Installing the app again brings a new
     * token.
     */
    guard: (workspaces: Omit<Workspaces, 'disable'>): Workspaces => ({
      ...workspaces,
      async ofTenant(tenant) {
        const workspace = await workspaces.ofTenant(tenant);
        if (workspace === undefined || !refused.has(workspace.token)) return workspace;
        tell(workspace);
        return undefined;
      },
      disable(workspace) {
        refuse(workspace.token);
        tell(workspace);
      },
    }),
  };
}
