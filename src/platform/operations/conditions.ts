import { z } from 'zod';
import { anyText, choice, coded, text } from '../wire/members.ts';
import { paging } from './paged.ts';

/** Platform contract ENU-22. */
export const CONDITIONS = {
  equal: 0,
  contains: 1,
  greater: 2,
  greaterOrEqual: 3,
  less: 4,
  lessOrEqual: 5,
  in: 6,
  notIn: 7,
  startsWith: 8,
  endsWith: 9,
  notEqual: 10,
  empty: 11,
  notEmpty: 12,
  notContains: 13,
} as const;

const condition = z.strictObject({
  fieldName: text('Member to look at'),
  fieldValue: anyText('What to compare with; for in and notIn, values with commas between them').default(''),
  conditionalType: coded(CONDITIONS, 'How to compare').default('equal'),
});
export type Condition = z.input<typeof condition>;

/** What to list, in which order, and which page of it (platform contract USR-6). */
export const listing = {
  orderField: text('Member to sort by; ids carry their time').default('id'),
  orderType: choice(['asc', 'desc'], 'Direction').default('desc'),
  conditions: z.array(condition).describe('All of them must hold').optional(),
  ...paging({ pageSize: 20 }),
};
