import { z } from 'zod';
import { idText } from '../http/json.ts';
import { declined, jsonReply, type Reply } from '../http/reply.ts';
import { member, record, refuse, withFallback } from '../http/schema.ts';
import { compareFields, conditionType, type FieldValue, meets } from './conditions.ts';

/** The fields by which a list can be filtered and sorted, by their documented names. */
export type Columns<T> = Readonly<Record<string, (row: T) => FieldValue>>;

/** Maximum conditions of a request, because each condition checks every row. */
const MAX_CONDITIONS = 100;
const CONDITIONS = `must be an array of at most ${MAX_CONDITIONS} conditions`;

const NAMELESS = 'A condition must be an object with a fieldName.';

const conditionMembers = record(
  {
    fieldName: z.string(NAMELESS).min(1, NAMELESS),
    conditionalType: z.unknown(),
    fieldValue: z.unknown(),
  },
  NAMELESS,
);

const condition = conditionMembers.transform(({ fieldName, conditionalType, fieldValue }, context) => {
  const type = conditionType(conditionalType ?? 0);
  const on = `of the condition on ${fieldName}`;
  if (type === undefined)
    return refuse(context, `The conditionalType ${on} must be an integer from 0 to 13.`);
  const value = idText(fieldValue ?? '');
  if (value === undefined) return refuse(context, `The fieldValue ${on} must be a string.`);
  return { fieldName, fieldValue: value, type };
});

const positive = z.int('must be a positive integer').min(1, 'must be a positive integer');

/** Body of a request for a page; the first page has the number 1 (platform contract USR-6: pages). */
export const pageRequest = record({
  orderType: z.literal(['asc', 'desc'], 'must be asc or desc'),
  orderField: z.string('must be the name of a field').min(1, 'must be the name of a field'),
  conditions: withFallback(z.array(condition, CONDITIONS).max(MAX_CONDITIONS, CONDITIONS), []),
  pageIndex: positive,
  pageSize: positive,
});

type PageRequest = z.output<typeof pageRequest>;

/** Returns the rows that meet every condition. */
export function matching<T>(
  rows: readonly T[],
  columns: Columns<T>,
  { conditions }: Pick<PageRequest, 'conditions'>,
): readonly T[] {
  const tests = conditions.map(({ fieldName, fieldValue, type }) => {
    const read = column(columns, fieldName);
    return (row: T) => meets(read(row), type, fieldValue);
  });
  return rows.filter((row) => tests.every((test) => test(row)));
}

/**
 * Replies with one page of the rows that meet every condition, sorted; equal rows keep their order. Filters and sorts
 * by `columns`; the page contains the columns in `shown`. `msg` is null (platform contract GEN-5, GEN-7: envelope and
 * pages).
 */
export function pageReply<T>(
  rows: readonly T[],
  request: PageRequest,
  columns: Columns<T>,
  visible = columns,
): Reply {
  const { pageIndex, pageSize } = request;
  const sortKey = column(columns, request.orderField);
  const direction = request.orderType === 'desc' ? -1 : 1;
  const matches = matching(rows, columns, request)
    .map((row) => ({ row, key: sortKey(row) }))
    .sort((a, b) => direction * compareFields(a.key, b.key))
    .map(({ row }) => row);
  const data = matches
    .slice((pageIndex - 1) * pageSize, pageIndex * pageSize)
    .map((row) => shownRow(row, visible));
  return jsonReply({ success: true, msg: null, data, pageIndex, pageSize, totalCount: matches.length });
}

/**
 * Returns a column by its name, in any letter case (platform contract INC-17: names of fields). Refuses an unknown name
 * (ENU-22: conditions).
 */
function column<T>(columns: Columns<T>, name: string): (row: T) => FieldValue {
  const found = member(columns, name);
  if (found === undefined) throw declined(`There is no field ${name}.`);
  return found;
}

/** Returns a row's values, by the names of the columns. */
export const shownRow = <T>(row: T, columns: Columns<T>): Readonly<Record<string, FieldValue>> =>
  withTexts(Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(row)])));

const DATE = /^(birthday|join_?time|last_login)$/i;

/**
 * Replaces null by an empty text, because the platform documents optional properties as strings. An unknown date stays
 * null, because an empty text is no date.
 */
export const withTexts = <Value>(
  record: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value | '' | null>> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value || !DATE.test(name) ? (value ?? '') : null]),
  );
