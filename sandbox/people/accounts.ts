import type { Accounts } from '../auth/identity.ts';
import type { SandboxAccount } from '../fixtures.ts';
import type { Role, Roles } from './roles.ts';
import type { User, Users } from './users.ts';

/** Accounts as sign-in, agents and media see them: looked up each time, so that a change counts at once. */
export function createAccounts(users: Users, roles: Roles): Accounts {
  const account = (user: User | undefined): SandboxAccount | undefined =>
    user && accountOf(user, roles.of(user.id));
  return {
    named: (userName) => account(users.named(userName)),
    withId: (id) => account(users.withId(id)),
    signedIn: (id) => users.signedIn(id),
  };
}

const accountOf = (user: User, held: readonly Role[]): SandboxAccount => ({
  id: user.id,
  userName: user.userName,
  realName: user.profile.realName,
  email: user.profile.email ?? '',
  role: held.some((role) => role.administers) ? 'admin' : held.length > 0 ? 'member' : 'none',
  enabled: user.enable && user.active,
  workspaces: [...new Set(held.flatMap((role) => role.workspaces))],
});
