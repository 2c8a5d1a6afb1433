/** An installation as it is kept: of a workspace, or of a whole organisation. */

import type { Installation, InstallationQuery } from '@slack/oauth';
import { isPlain, text, words } from '../../../src/kit/json.ts';

export interface Kept {
  /** `T…` of a workspace, `E…` of an organisation. */
  readonly id: string;
  readonly orgWide: boolean;
  readonly name?: string;
  readonly enterprise?: string;
  readonly botUser: string;
  readonly botId?: string;
  readonly token: string;
  readonly scopes: readonly string[];
  /** With token rotation: the token for requesting the next one, and the end of this one (seconds since the epoch). */
  readonly refreshToken?: string;
  readonly expiresAt?: number;
}

/** Returns the installation without the tokens of the person who installed: the bridge never acts as a person. */
export function keptOf(installation: Installation): Kept | undefined {
  const { team, enterprise, bot, isEnterpriseInstall } = installation;
  const orgWide = isEnterpriseInstall === true;
  const id = orgWide ? enterprise?.id : team?.id;
  if (id === undefined || bot === undefined) return undefined;
  const name = orgWide ? enterprise?.name : team?.name;
  return {
    id,
    orgWide,
    botUser: bot.userId,
    token: bot.token,
    scopes: bot.scopes,
    ...(name !== undefined && { name }),
    ...(enterprise !== undefined && { enterprise: enterprise.id }),
    ...(bot.id !== undefined && { botId: bot.id }),
    ...(bot.refreshToken !== undefined && { refreshToken: bot.refreshToken }),
    ...(bot.expiresAt !== undefined && { expiresAt: bot.expiresAt }),
  };
}

/** As the installer wants it back. */
export function installationOf(kept: Kept): Installation<'v2', boolean> {
  const { id, orgWide, name, enterprise, refreshToken, expiresAt } = kept;
  const named = { id, ...(name !== undefined && { name }) };
  return {
    team: orgWide ? undefined : named,
    enterprise: enterprise === undefined ? undefined : orgWide ? named : { id: enterprise },
    user: { token: undefined, scopes: undefined, id: '' },
    bot: {
      token: kept.token,
      scopes: [...kept.scopes],
      id: kept.botId ?? '',
      userId: kept.botUser,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
    isEnterpriseInstall: orgWide,
    authVersion: 'v2',
    tokenType: 'bot',
  };
}

/** Whose installation the installer asks for. */
export function idOf({ teamId, enterpriseId, isEnterpriseInstall }: InstallationQuery<boolean>): string {
  return (isEnterpriseInstall ? enterpriseId : teamId) ?? '';
}

export function decodeKept(value: unknown): Kept | undefined {
  if (!isPlain(value)) return undefined;
  const [id, botUser, token] = [text(value.id), text(value.botUser), text(value.token)];
  if (id === undefined || botUser === undefined || token === undefined) return undefined;
  const { expiresAt } = value;
  const [name, enterprise] = [text(value.name), text(value.enterprise)];
  const [botId, refreshToken] = [text(value.botId), text(value.refreshToken)];
  return {
    id,
    orgWide: value.orgWide === true,
    botUser,
    token,
    scopes: words(value.scopes),
    ...(name !== undefined && { name }),
    ...(enterprise !== undefined && { enterprise }),
    ...(botId !== undefined && { botId }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(typeof expiresAt === 'number' && { expiresAt }),
  };
}
