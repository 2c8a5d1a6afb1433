import { permissionMissing } from '../auth/identity.ts';
import { type Call, param } from '../http/call.ts';
import { requiredText } from '../http/fields.ts';
import { invalid } from '../http/refusal.ts';
import { liteReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { liteUser } from './lite-view.ts';
import { changePeople, type PeopleParts } from './parts.ts';
import { plainProfile } from './profile.ts';

/** Users of the lite interface, with and without `/webapi` (platform contract ADM-1 to ADM-3, ADM-14). */
export const liteUserRoutes = (parts: PeopleParts): readonly Route[] =>
  ['', '/webapi'].flatMap((prefix): readonly Route[] => [
    {
      id: 'liteUser',
      method: 'GET',
      path: `${prefix}/lite_api/v1/iam/user/{user_id}`,
      face: 'lite',
      handle: async (call) => {
        parts.gatekeeper.anyAccount(call);
        const user = parts.users.withId(param(call, 'user_id'));
        if (user === undefined) throw invalid(`The user ${param(call, 'user_id')} is unknown.`);
        return liteReply(liteUser(parts, user));
      },
    },
    {
      id: 'createLiteUser',
      method: 'POST',
      path: `${prefix}/lite_api/v1/iam/user/`,
      face: 'lite',
      handle: (call) => createLiteUser(parts, call),
    },
  ]);

/** Like every created user, this one is not enabled until somebody enables it (platform contract INC-20). */
async function createLiteUser(parts: PeopleParts, call: Call): Promise<Reply> {
  const asking = parts.gatekeeper.anyAccount(call);
  if (asking.role !== 'admin') throw invalid(permissionMissing('to write users'));
  const fields = await call.fields();
  const username = requiredText(fields, 'username');
  const email = requiredText(fields, 'email');
  const real_name = requiredText(fields, 'real_name');
  if (username === 'me') throw invalid('The username me is reserved.');
  changePeople(parts, () => {
    if (parts.users.named(username) !== undefined) {
      throw invalid(`The username ${username} is already in use.`);
    }
    const profile = { ...plainProfile(real_name), email };
    parts.users.add({ userName: username, passwordHash: '', active: true, enable: false, profile });
  });
  return liteReply({ username, email, real_name });
}
