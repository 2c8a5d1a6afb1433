/**
 * Deletes the data of workspaces from which the app was removed. Slack may report a removal late: after the app was
 * installed again (https://github.com/slackapi/bolt-js/issues/1558), or repeated after 1 and 5 minutes (fault F43:
 * removal event of an earlier installation).
 */

import { BridgeError, type Log } from '../../../src/kit.ts';
import type { Workspaces } from '../api/workspace.ts';
import type { Origin } from './dispatch.ts';
import type { EventOf, SlackEvent } from './events.ts';
import type { Members } from './members.ts';
import type { Revoked } from './revoked.ts';

type AccessEvent = EventOf<'uninstalled' | 'revoked' | 'access-granted' | 'access-revoked'>;

const KINDS: readonly SlackEvent['kind'][] = ['uninstalled', 'revoked', 'access-granted', 'access-revoked'];

export const isAccessEvent = (event: SlackEvent): event is AccessEvent => KINDS.includes(event.kind);

export interface AccessDeps {
  readonly workspaces: Pick<Workspaces, 'remove'>;
  readonly members: Pick<Members, 'grant' | 'isLeaving' | 'leave'>;
  /** Asks Slack once whether it accepts the token. */
  readonly ask: Revoked['ask'];
  /** Deletes all data of a tenant (privacy: within 60 s). */
  forget(tenant: string): Promise<void>;
  readonly log: Log;
}

/** Handles an event about the app's access to workspaces. */
export async function changeAccess(event: AccessEvent, from: Origin, deps: AccessDeps): Promise<void> {
  const { members, workspaces, log } = deps;
  const { workspace, at = 0 } = from;
  const { organization, installedAt = 0 } = workspace;
  if (event.kind === 'uninstalled' || event.kind === 'revoked') {
    if (await isRemoved(from, deps)) return forgetAll(await workspaces.remove(workspace), deps);
    return log.info({ tenant: workspace.tenant }, 'Slack reported the removal of an earlier installation');
  }
  if (organization === undefined || at < installedAt) return;
  for (const team of event.teams) {
    if (event.kind === 'access-granted') await members.grant(team, organization, at);
    else if (await members.isLeaving(team, organization, at)) {
      await forgetAll([team], deps);
      await members.leave(team, organization);
    }
  }
}

async function forgetAll(tenants: readonly string[], { forget, log }: AccessDeps): Promise<void> {
  for (const tenant of tenants) await forget(tenant);
  log.warn({ tenants }, 'the app was removed from these workspaces');
}

/**
 * True if the event is about the current installation. Compares only time stamps that Slack made, because the bridge's
 * clock may differ. If they do not decide, asks Slack whether the token works.
 */
async function isRemoved({ workspace, at, team }: Origin, { ask }: AccessDeps): Promise<boolean> {
  const { installedAt, organization, token } = workspace;
  if (at !== undefined && installedAt !== undefined) {
    if (at < installedAt) return false;
    // An event that names a workspace may be about its own earlier installation, and not about its organization's.
    if (at > installedAt && (organization === undefined || team === undefined)) return true;
  }
  const standing = await ask(token);
  if (standing !== 'unknown') return standing === 'refused';
  throw new BridgeError('channel-unavailable', 'Slack did not say whether the app was removed.');
}
