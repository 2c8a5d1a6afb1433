/** Codes and refresh tokens, and the installations made from them. */

import { manifestScopes } from '../manifest.ts';
import type { Token, Workspace } from '../shapes.ts';
import type { World } from '../world.ts';

/** Lifetime of a code, ten minutes. https://docs.slack.dev/authentication/installing-with-oauth */
const CODE_MS = 600_000;
/** Lifetime of a rotated token, 12 hours. https://docs.slack.dev/authentication/using-token-rotation */
const ROTATION_MS = 43_200_000;

export interface Code {
  readonly at: number;
  readonly team?: string;
  readonly enterprise?: string;
  readonly user: string;
  readonly scopes: readonly string[];
  readonly redirectUri?: string;
  used: boolean;
}

interface Grants {
  readonly codes: Map<string, Code>;
  readonly refresh: Map<string, Token>;
  rotate: boolean;
}

const grants = new WeakMap<World, Grants>();

export function grantsOf(world: World): Grants {
  const known = grants.get(world) ?? { codes: new Map(), refresh: new Map(), rotate: false };
  grants.set(world, known);
  return known;
}

export interface CodeOptions {
  readonly team?: string;
  /** Id of the organization, if the app is installed on the whole organization and not on a team. */
  readonly enterprise?: string;
  readonly user?: string;
  readonly scopes?: readonly string[];
  readonly redirectUri?: string;
}

/** Makes the code that Slack gives the browser after consent. */
export function newCode(world: World, options: CodeOptions): string {
  const code = world.newId('code');
  const { user = world.newId('U'), scopes = manifestScopes, ...rest } = options;
  grantsOf(world).codes.set(code, { at: world.clock.now(), user, scopes, used: false, ...rest });
  return code;
}

export function takeCode(world: World, value: string): Code | undefined {
  const code = grantsOf(world).codes.get(value);
  if (code === undefined || code.used || world.clock.now() - code.at > CODE_MS) return undefined;
  code.used = true;
  return code;
}

export interface Issued {
  readonly token: Token;
  readonly refresh?: string;
  readonly expiresIn?: number;
}

export function issue(
  world: World,
  scopes: Iterable<string>,
  place: { team?: string; enterprise?: string },
): Issued {
  const { rotate, refresh: all } = grantsOf(world);
  const value = `${rotate ? 'xoxe.xoxb' : 'xoxb'}-${place.team ?? place.enterprise ?? ''}-${world.newId('')}`;
  const token: Token = {
    value,
    kind: 'bot',
    scopes: new Set(scopes),
    state: 'live',
    ...place,
    ...(rotate ? { expiresAt: world.clock.now() + ROTATION_MS } : {}),
  };
  world.tokens.set(value, token);
  const [first, ...others] = inside(world, token);
  // An organization's token is for one bot, which is the same person in all workspaces: `bot_user_id` in the answer of
  // https://docs.slack.dev/reference/methods/oauth.v2.access
  for (const workspace of others) Object.assign(workspace, { botUser: first?.botUser, botId: first?.botId });
  for (const workspace of inside(world, token)) {
    workspace.token = value;
    workspace.installed = true;
  }
  if (!rotate) return { token };
  const refresh = `xoxe-1-${world.newId('')}`;
  all.set(refresh, token);
  return { token, refresh, expiresIn: ROTATION_MS / 1_000 };
}

const inside = (world: World, { team, enterprise }: Token): readonly Workspace[] =>
  [...world.workspaces.values()].filter(
    (each) => each.id === team || (team === undefined && each.enterprise === enterprise),
  );
