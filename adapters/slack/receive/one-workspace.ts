/** Finds the one workspace that the configured bot token belongs to. */

import { type Plain, plain, text, words } from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock, defined } from '../../../src/kit.ts';
import type { Caller } from '../api/sender.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import type { Secret } from '../config.ts';
import { CUSTOMIZE } from '../scopes.ts';
import type { Members } from './members.ts';
import type { Reach } from './reach.ts';

/** Pause between two attempts to reach Slack at the start, in milliseconds. */
const RETRY_PAUSE_MS = 10_000;

export interface OneWorkspaceDeps {
  readonly token: Secret;
  readonly call: Caller;
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
      const { team, enterprise, room } = source;
      const { organization } = known().workspace;
      if (organization === undefined ? team !== known().team : enterprise !== organization) return undefined;
      if (organization !== undefined && team !== undefined) await members.join(team, organization, room);
      return at(team ?? enterprise ?? '');
    },
    ofTenant: async (tenant) =>
      known().workspace.organization !== undefined || tenant === known().team ? at(tenant) : undefined,
    only: () => (info?.workspace.organization === undefined ? info?.team : undefined),
    remove: async () => {
      removed = deps.token.reveal();
      const { team = '', workspace } = known();
      const { organization } = workspace;
      return organization === undefined ? [team] : [organization, ...(await members.forget(organization))];
    },
  };
}

/** Slack's response to `auth.test` about the token. */
type TokenInfo = ReturnType<typeof decode>;

async function ask({ token, call, signal }: OneWorkspaceDeps): Promise<TokenInfo> {
  const answer = await call('auth.test', {}, signal, token.reveal());
  if (answer.kind === 'done') return decode(answer.body);
  if (answer.kind === 'unknown' || answer.why === 'rate')
    throw new BridgeError('channel-unavailable', 'reason' in answer ? answer.reason : answer.error);
  throw new BridgeError(
    'config-invalid',
    `Slack refuses SLACK_BOT_TOKEN (${answer.error}). Copy the bot token (xoxb-…) again from "OAuth & Permissions" of the app.`,
  );
}

function decode(answer: Plain) {
  const [botUser, team, enterprise] = [answer.user_id, answer.team_id, answer.enterprise_id].map(text);
  if (botUser === undefined || (team === undefined && enterprise === undefined)) {
    throw new BridgeError(
      'config-invalid',
      'Slack did not name the workspace of SLACK_BOT_TOKEN. Set SLACK_BOT_TOKEN to a bot token (xoxb-…).',
    );
  }
  // The SDK copies the scopes from the response header `x-oauth-scopes`.
  const scopes = words(plain(answer.response_metadata).scopes);
  const organization = answer.is_enterprise_install === true ? enterprise : undefined;
  const workspace = {
    botUser,
    ...(scopes.includes(CUSTOMIZE) && { customizes: true as const }),
    ...defined({ enterprise, organization, name: text(answer.team), botId: text(answer.bot_id) }),
  };
  return { team, workspace };
}
