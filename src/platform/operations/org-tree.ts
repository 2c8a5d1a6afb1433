import { z } from 'zod';
import { anyText, flag, number, text } from '../wire/members.ts';

/** A node of the tree of organizations, with those below it (platform contract ORG-4). */
export const nodeRecord = z.object({
  nodeId: text('Id of the organization'),
  nodeName: anyText('Its name').optional(),
  parentNodeId: text('Id of the one above; -1 at the root').optional(),
  code: anyText('Its code').optional(),
  path: anyText('Ids from the root, with slashes between them').optional(),
  external: flag('Whether it is from outside', { aliases: ['isExternal'] }).optional(),
  sort: number('Place in lists').optional(),
  get childNodeList() {
    return z.array(nodeRecord).describe('Those below').default([]);
  },
});
export type OrgNode = z.output<typeof nodeRecord>;
