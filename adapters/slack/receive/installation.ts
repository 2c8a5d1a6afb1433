/** How the bridge stores an installation of the app in a workspace or in a whole organization. */

import type { Installation } from '@slack/oauth';
import { count, defined, isPlain, text, words } from '../../../src/kit/json.ts';

export interface StoredInstallation {
  /** `T…` for a workspace, `E…` for an organization. */
  readonly id: string;
  readonly orgWide: boolean;
  readonly name?: string;
  readonly enterprise?: string;
  readonly botUser: string;
  readonly botId?: string;
  readonly token: string;
  readonly scopes: readonly string[];
  /**
   * With token rotation only: the token with which the next token is requested, and the time at which the current token
   * expires, in seconds since the epoch.
   */
  readonly refreshToken?: string;
  readonly expiresAt?: number;
  /**
   * Time of the installation by Slack's clock, in seconds since the epoch. Absent if an older version of the bridge
   * stored the installation.
   */
  readonly installedAt?: number;
}

/**
 * Returns what is stored of an installation. The installer's own tokens are left out, because the bridge never acts as
 * a person.
 */
export function toStoredInstallation(
  installation: Installation,
  installedAt: number | undefined,
): StoredInstallation | undefined {
  const { team, enterprise, bot, isEnterpriseInstall } = installation;
  const orgWide = isEnterpriseInstall === true;
  const id = orgWide ? enterprise?.id : team?.id;
  if (id === undefined || bot === undefined) return undefined;
  return {
    id,
    orgWide,
    botUser: bot.userId,
    token: bot.token,
    scopes: bot.scopes,
    ...defined({
      name: orgWide ? enterprise?.name : team?.name,
      enterprise: enterprise?.id,
      botId: bot.id,
      refreshToken: bot.refreshToken,
      expiresAt: bot.expiresAt,
      installedAt,
    }),
  };
}

export function decodeStoredInstallation(value: unknown): StoredInstallation | undefined {
  if (!isPlain(value)) return undefined;
  const [id, botUser, token] = [text(value.id), text(value.botUser), text(value.token)];
  if (id === undefined || botUser === undefined || token === undefined) return undefined;
  return {
    id,
    orgWide: value.orgWide === true,
    botUser,
    token,
    scopes: words(value.scopes),
    ...defined({
      name: text(value.name),
      enterprise: text(value.enterprise),
      botId: text(value.botId),
      refreshToken: text(value.refreshToken),
      expiresAt: typeof value.expiresAt === 'number' ? value.expiresAt : undefined,
      installedAt: count(value.installedAt),
    }),
  };
}
