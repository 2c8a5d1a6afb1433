/** Finds the one workspace that the configured bot token belongs to. */

import { defined, type Plain, plain, text, words } from '../../../src/kit/json.ts';
import { BridgeError, type Clock } from '../../../src/kit.ts';
import type { Source, Workspace, Workspaces } from '../api/workspace.ts';
import type { Secret } from '../config.ts';
import { CUSTOMIZE } from '../scopes.ts';
import type { Members } from './members.ts';
import type { Reach } from './reach.ts';
import type { Reads } from './reads.ts';

/** Pause between two attempts to reach Slack at the start, in milliseconds. */
const RETRY_PAUSE_MS = 10_000;

interface OneWorkspaceDeps {
  readonly token: Secret;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly reach: Reach;
  /** Stores the workspaces of the organization, if the token belongs to one. */
  readonly members: Pick<Members, 'join' | 'forget'>;
  /** Aborts the attempts to reach Slack. */
  readonly signal: AbortSignal;
}

/**
 * Asks Slack which workspace the token belongs to. Rejects with `config-invalid` if Slack refuses the token. Until
 * Slack has answered, look-ups of the workspace reject, so that Slack sends the events again.
 */
export async function oneWorkspace(deps: OneWorkspaceDeps): Promise<Omit<Workspaces, 'disable'>> {
  const { members, reach, clock, signal } = deps;
  let info: TokenInfo | undefined;
  const learn = async (): Promise<void> => {
    info = await ask(deps);
    reach.reached();
  };
  const failed = (thrown: unknown): void => {
    if (!signal.aborted) reach.failed(thrown, RETRY_PAUSE_MS);
  };
  const learnLater = async (): Promise<void> => {
    while (info === undefined) {
      await clock.wait(RETRY_PAUSE_MS, signal);
      await learn().catch(failed);
    }
  };
  await learn().catch((thrown: unknown) => {
    if (thrown instanceof BridgeError && thrown.code === 'config-invalid') throw thrown;
    failed(thrown);
    // Rejects only when the adapter stops.
    learnLater().catch(() => undefined);
  });
  /** The token of an installation that was removed. */
  let removed: string | undefined;
  const known = (): TokenInfo => {
    if (info !== undefined) return info;
    throw new BridgeError('channel-unavailable', 'Slack has not yet named the workspace of SLACK_BOT_TOKEN.');
  };
  const at = (tenant: string): Workspace | undefined => {
    const token = deps.token.reveal();
    if (removed === token) return undefined;
    return { ...known().workspace, tenant, token };
  };
  return {
    async find(source) {
      if (!covers(known(), source)) return undefined;
      const { team, enterprise, room } = source;
      const { organization } = known().workspace;
      if (organization !== undefined && team !== undefined) await members.join(team, organization, room);
      return at(team ?? enterprise ?? '');
    },
    ofTenant: async (tenant) => (known().orgWide || tenant === known().team ? at(tenant) : undefined),
    only: () => (info?.orgWide === false ? info.team : undefined),
    remove: async () => {
      removed = deps.token.reveal();
      const { workspace, team } = known();
      const organization = workspace.organization;
      return organization === undefined
        ? [team ?? '']
        : [organization, ...(await members.forget(organization))];
    },
  };
}

/** Slack's response to `auth.test` about the token. */
interface TokenInfo {
  readonly team?: string | undefined;
  readonly enterprise?: string | undefined;
  /** True for an organization's token: each workspace of the organization is then a separate tenant. */
  readonly orgWide: boolean;
  readonly workspace: Omit<Workspace, 'tenant' | 'token'>;
}

function covers({ team, enterprise, orgWide }: TokenInfo, source: Source): boolean {
  return orgWide ? source.enterprise === enterprise : source.team === team;
}

async function ask({ token, reads, signal }: OneWorkspaceDeps): Promise<TokenInfo> {
  const answer = await reads
    .call({ token: token.reveal() }, 'auth.test', {}, signal)
    .catch((cause: unknown) => {
      const why = cause instanceof BridgeError ? String(cause.facts.error) : 'unreachable';
      if (why === 'unreachable') throw cause;
      throw new BridgeError(
        'config-invalid',
        `Slack refuses SLACK_BOT_TOKEN (${why}). Copy the bot token (xoxb-…) again from "OAuth & Permissions" of the app.`,
        { cause },
      );
    });
  return decode(answer);
}

function decode(answer: Plain): TokenInfo {
  const [botUser, team, enterprise] = [answer.user_id, answer.team_id, answer.enterprise_id].map(text);
  if (botUser === undefined || (team === undefined && enterprise === undefined)) {
    throw new BridgeError(
      'config-invalid',
      'Slack did not name the workspace of SLACK_BOT_TOKEN. Set SLACK_BOT_TOKEN to a bot token (xoxb-…).',
    );
  }
  // The SDK copies the scopes from the response header `x-oauth-scopes`.
  const scopes = words(plain(answer.response_metadata).scopes);
  const orgWide = answer.is_enterprise_install === true;
  const workspace = {
    botUser,
    ...(scopes.includes(CUSTOMIZE) && { customizes: true as const }),
    ...defined({ enterprise, name: text(answer.team), botId: text(answer.bot_id) }),
    ...defined({ organization: orgWide ? enterprise : undefined }),
  };
  return { team, enterprise, orgWide, workspace };
}
