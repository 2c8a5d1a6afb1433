import { z } from 'zod';
import { asList } from '../shapes.ts';
import type { Deployment } from '../wire/deployment.ts';
import { type WireFacts, wired } from '../wire/facts.ts';
import { anyText, choice, coded, count, text } from '../wire/members.ts';
import type { WireParts } from '../wire/parts.ts';

/**
 * Fields that select a page of a list; always sent (platform contract GEN-7, LIM-7).
 * @param pageSize number of elements per page if the caller does not choose one
 * @param names wire names, if they differ from `pageIndex` and `pageSize`
 */
export function paging(pageSize: number, names?: { readonly pageIndex: string; readonly pageSize: string }) {
  return {
    pageIndex: count('Number of the page; the first page is 1', names && { name: names.pageIndex }).default(
      1,
    ),
    pageSize: count('Maximum number of items on a page', names && { name: names.pageSize }).default(pageSize),
  };
}

/** The platform's numbers for the conditions of a filter (platform contract ENU-22). */
const CONDITIONS = {
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
  fieldName: text('Name of the field that the condition compares'),
  fieldValue: anyText(
    'Value to compare with; several values, separated by commas, if conditionalType is "in" or "notIn"',
  ).default(''),
  conditionalType: coded(CONDITIONS, 'How to compare').default('equal'),
});

/** Filter, order and page of a list (platform contract USR-6). */
export const listing = {
  orderField: text('Field by which the list is sorted; to sort by the time of creation, use id').default(
    'id',
  ),
  orderType: choice(['asc', 'desc'], 'Direction of the sorting: ascending or descending').default('desc'),
  conditions: z
    .array(condition)
    .describe('Conditions; the list contains only items that match all conditions')
    .optional(),
  ...paging(20),
};

const DIGITS = /^\d+$/;

/**
 * A list of either ids, which consist of digits, or names. One request must not contain both ids and names (platform
 * contract USR-3, ROL-2, ORG-3).
 */
export const eitherOr = (doc: string, facts: WireFacts = {}, least = 1) =>
  wired(
    z
      .array(z.string().min(1))
      .min(least)
      .refine(
        (codes) => codes.every((code) => DIGITS.test(code)) || codes.every((code) => !DIGITS.test(code)),
        'must contain either only ids (digits) or only names',
      )
      .describe(doc),
    facts,
  );

/** A text in several languages (platform contract BOT-3, WST-1). */
export const localized = (doc: string) =>
  z
    .array(
      z.strictObject({
        languageCode: text('BCP 47 tag, such as en-US'),
        content: text('The text in the language of languageCode'),
      }),
    )
    .describe(doc);

/**
 * One entry of a file's metadata. On the wire, the entries are JSON inside a string, and `limit` is again JSON inside
 * a string (platform contract WSP-10).
 */
const entry = z.strictObject({
  name: text('Name of the entry'),
  type: coded(
    { text: 0, option: 1 },
    'option: the value is one of those that the field "limit" lists; text: the value is any text',
  ).default('text'),
  limit: wired(z.array(z.string()).describe('The allowed values, if the type is option'), {
    as: 'json',
  }).optional(),
  value: anyText('Value of the entry; absent if the file has no value for it').optional(),
});

export const metadataTemplate = z
  .array(entry)
  .describe('Metadata entries of the files in the workspace, each with a name and a type');
export type MetadataEntry = z.input<typeof entry>;

/**
 * Moves the ids of a deletion to where the deployment expects them: into the body, or into the query, where the
 * parameter is repeated for each id (platform contract WSP-4).
 */
export function idsInQuery(parts: WireParts, { idsIn }: Deployment): WireParts {
  if (idsIn === 'body') return parts;
  const ids = (asList(parts.json) ?? []).map((id) => JSON.stringify(id));
  return { path: parts.path, query: { ...parts.query, ids } };
}
