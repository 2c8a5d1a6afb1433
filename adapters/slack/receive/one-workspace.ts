/** The app in the one workspace whose token is configured. */

import { type Plain, plain, text, words } from '../../../src/kit/json.ts';
import { BridgeError, type Clock } from '../../../src/kit.ts';
import type { Source, Workspace, Workspaces } from '../api/workspace.ts';
import type { Secret } from '../config.ts';
import { CUSTOMIZE } from '../scopes.ts';
import type { Reach } from './reach.ts';
import type { Reads } from './reads.ts';

/** Between two attempts to reach Slack, where it could not be reached at the start. */
const AGAIN_MS = 10_000;

interface OneWorkspaceDeps {
  readonly token: Secret;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly reach: Reach;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
}

/**
 * Asks Slack whose token it is. Rejects with `config-invalid` where Slack refuses it. While Slack cannot be reached,
 * events are not taken, so that Slack sends them again.
 */
export async function oneWorkspace(deps: OneWorkspaceDeps): Promise<Omit<Workspaces, 'disable'>> {
  let told: Told | undefined = await ask(deps).catch((thrown: unknown) => {
    if (isFinal(thrown)) throw thrown;
    deps.reach.failed(thrown, AGAIN_MS);
    return undefined;
  });
  if (told === undefined) {
    void askAgain(deps).then((answer) => {
      told = answer;
    });
  }
  let removed = false;
  const served = new Set<string>();
  const known = (): Told => {
    if (told !== undefined) return told;
    throw new BridgeError('channel-unavailable', 'Slack did not tell yet whose SLACK_BOT_TOKEN is.');
  };
  const at = (tenant: string): Workspace | undefined => {
    if (removed) return undefined;
    served.add(tenant);
    return { ...known().workspace, tenant, token: deps.token.reveal() };
  };
  return {
    find: async (source) =>
      covers(known(), source) ? at(source.team ?? source.enterprise ?? '') : undefined,
    ofTenant: async (tenant) => (known().orgWide || tenant === known().team ? at(tenant) : undefined),
    remove: async () => {
      removed = true;
      return [...served];
    },
  };
}

/** Slack's facts about the token. */
interface Told {
  readonly team?: string | undefined;
  readonly enterprise?: string | undefined;
  /** Of an organisation-wide token every workspace of the organisation is a tenant of its own. */
  readonly orgWide: boolean;
  readonly workspace: Omit<Workspace, 'tenant' | 'token'>;
}

function covers({ team, enterprise, orgWide }: Told, source: Source): boolean {
  return orgWide ? source.enterprise === enterprise : source.team === team;
}

const isFinal = (thrown: unknown): boolean =>
  thrown instanceof BridgeError && thrown.code === 'config-invalid';

async function askAgain({ clock, reach, signal, ...others }: OneWorkspaceDeps): Promise<Told | undefined> {
  for (;;) {
    await clock.wait(AGAIN_MS, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
    try {
      const told = await ask({ clock, reach, signal, ...others });
      reach.reached();
      return told;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      reach.failed(thrown, AGAIN_MS);
    }
  }
}

async function ask({ token, reads, signal }: OneWorkspaceDeps): Promise<Told> {
  const answer = await reads
    .call({ token: token.reveal() }, 'auth.test', {}, signal)
    .catch((cause: unknown) => {
      const why = cause instanceof BridgeError ? String(cause.facts.error) : 'unreachable';
      if (why === 'unreachable') throw cause;
      throw new BridgeError(
        'config-invalid',
        `Slack refuses SLACK_BOT_TOKEN (${why}). Copy the bot token (xoxb-…) anew from "OAuth & Permissions" of the app.`,
        { cause },
      );
    });
  return decode(answer);
}

function decode(answer: Plain): Told {
  const [team, enterprise, name] = [text(answer.team_id), text(answer.enterprise_id), text(answer.team)];
  const [botUser, botId] = [text(answer.user_id), text(answer.bot_id)];
  if (botUser === undefined || (team === undefined && enterprise === undefined)) {
    throw new BridgeError(
      'config-invalid',
      'Slack did not say whose SLACK_BOT_TOKEN is. Set it to a bot token (xoxb-…).',
    );
  }
  // From the header `x-oauth-scopes` of the answer.
  const scopes = words(plain(answer.response_metadata).scopes);
  const workspace = {
    botUser,
    ...(scopes.includes(CUSTOMIZE) && { customizes: true as const }),
    ...(name !== undefined && { name }),
    ...(enterprise !== undefined && { enterprise }),
    ...(botId !== undefined && { botId }),
  };
  return { team, enterprise, orgWide: answer.is_enterprise_install === true, workspace };
}
