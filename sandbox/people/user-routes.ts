import { param } from '../http/call.ts';
import { findOne } from '../http/codes.ts';
import { objectBody } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { pagedReply, pageOf, readPageRequest, shownRow } from './paging.ts';
import { type PeopleParts, userFinder } from './parts.ts';
import { userColumns, userDetails } from './user-view.ts';

const PATH = '/v1/openapi/user';

/** Reading users, which any enabled account may (platform contract USR-6, USR-7). */
export function userRoutes(parts: PeopleParts): readonly Route[] {
  const { gatekeeper, options, users } = parts;
  return [
    {
      id: 'pageUsers',
      method: 'POST',
      path: `${PATH}/pageList`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAccount(call);
        const request = readPageRequest(await objectBody(call));
        const columns = userColumns(options);
        const { rows, totalCount } = pageOf(users.all(), columns, request);
        return pagedReply(
          rows.map((user) => shownRow(user, columns)),
          totalCount,
          request,
        );
      },
    },
    {
      id: 'me',
      method: 'GET',
      path: `${PATH}/me`,
      face: 'open',
      handle: async (call) => {
        const user = users.withId(gatekeeper.openAccount(call).id);
        if (user === undefined) throw declined('The user of the token is unknown.');
        return openReply(userDetails(user, options));
      },
    },
    {
      id: 'getUser',
      method: 'GET',
      path: `${PATH}/{userCode}`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAccount(call);
        return openReply(userDetails(findOne(param(call, 'userCode'), userFinder(parts)), options));
      },
    },
  ];
}
