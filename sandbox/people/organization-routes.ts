import type { Call } from '../http/call.ts';
import { findAll, readCodes } from '../http/codes.ts';
import { arrayBody, objectBody } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { changeOrganization, createOrganization, removeOrganizations } from './organization-changes.ts';
import { organizationTree, TOP } from './organization-tree.ts';
import type { Organization } from './organizations.ts';
import { withTexts } from './paging.ts';
import { organizationFinder, type PeopleParts, single } from './parts.ts';

const PATH = '/v1/openapi/organization';
const PERMISSION = 'to write organizations';

/** Organizations themselves (platform contract ORG-1 to ORG-4, ORG-9). */
export function organizationRoutes(parts: PeopleParts): readonly Route[] {
  const { gatekeeper, organizations } = parts;
  const write = (work: (call: Call) => Promise<Reply>) => (call: Call) => {
    gatekeeper.openAdministrator(call, PERMISSION);
    return work(call);
  };
  return [
    {
      id: 'createOrg',
      method: 'POST',
      path: PATH,
      face: 'open',
      handle: write(async (call) => details(parts, createOrganization(parts, await objectBody(call)))),
    },
    {
      id: 'updateOrg',
      method: 'PUT',
      path: PATH,
      face: 'open',
      handle: write(async (call) => details(parts, changeOrganization(parts, await objectBody(call)))),
    },
    {
      id: 'deleteOrgs',
      method: 'DELETE',
      path: PATH,
      face: 'open',
      handle: write(async (call) => {
        const codes = readCodes(await arrayBody(call), 'The body');
        removeOrganizations(parts, findAll(codes, organizationFinder(parts)));
        return openReply(null);
      }),
    },
    {
      id: 'orgTree',
      method: 'GET',
      path: `${PATH}/tree`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAccount(call);
        const external = call.query.get('external') ?? 'false';
        if (!/^(true|false)$/i.test(external))
          throw declined('The parameter external must be true or false.');
        return openReply(organizationTree(organizations.all(), external.toLowerCase() === 'true'));
      },
    },
  ];
}

/** Names exactly as documented, capitals included (platform contract INC-16). */
function details({ organizations, options }: PeopleParts, organization: Organization): Reply {
  const above = organization.parent === null ? undefined : organizations.withId(organization.parent);
  return openReply(
    single(
      options,
      withTexts({
        id: organization.id,
        code: organization.code,
        parentId: organization.parent ?? TOP,
        parentName: above?.name ?? null,
        name: organization.name,
        location: organization.location,
        remarks: organization.remarks,
        contact: organization.contact,
        Info: organization.info,
        Extension: organization.extension,
        IsSubsidiary: organization.isSubsidiary,
        sort: organization.sort,
        isEnable: organization.isEnable,
        external: organization.external,
      }),
    ),
  );
}
