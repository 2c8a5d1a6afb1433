/** How the bridge stores an installation of the app in a workspace or in a whole organization. */

import type { Installation } from '@slack/oauth';
import { z } from 'zod';
import { defined } from '../../../src/kit.ts';

const filled = z.string().min(1);

const stored = z.object({
  /** `T…` for a workspace, `E…` for an organization. */
  id: filled,
  orgWide: z.boolean(),
  name: z.string().exactOptional(),
  enterprise: filled.exactOptional(),
  botUser: filled,
  botId: filled.exactOptional(),
  token: filled,
  scopes: z.array(z.string()),
  /**
   * With token rotation only: the token with which the next token is requested, and the time at which the current token
   * expires, in seconds since the epoch.
   */
  refreshToken: filled.exactOptional(),
  expiresAt: z.number().exactOptional(),
  /**
   * Time of the installation by Slack's clock, in seconds since the epoch. Absent if an older version of the bridge
   * stored the installation.
   */
  installedAt: z.number().exactOptional(),
});

export type StoredInstallation = Readonly<z.output<typeof stored>>;

export const decodeStoredInstallation = (value: unknown): StoredInstallation | undefined =>
  stored.safeParse(value).data;

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
