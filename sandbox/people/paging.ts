import { asFields, type Fields, idText } from '../http/fields.ts';
import { member } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import {
  type ConditionType,
  compareFields,
  conditionType,
  type FieldValue,
  meets,
  needsValue,
} from './conditions.ts';

/** The fields by which a listing is filtered and sorted, by their documented names. */
export type Columns<T> = Readonly<Record<string, (row: T) => FieldValue>>;

export interface Condition {
  readonly fieldName: string;
  readonly fieldValue: string;
  readonly type: ConditionType;
}

/** A paging body (platform contract USR-6). */
export interface PageRequest {
  readonly orderField: string;
  readonly descending: boolean;
  readonly conditions: readonly Condition[];
  /** The first page is 1. */
  readonly pageIndex: number;
  readonly pageSize: number;
}

/** Conditions of one request; each costs a look at every row. */
const CONDITIONS_TAKEN = 100;

/** Reads a paging body; refuses with `success` false and the name of what is wrong. */
export function readPageRequest(fields: Fields): PageRequest {
  const orderType = member(fields, 'orderType');
  if (orderType !== 'asc' && orderType !== 'desc') {
    throw declined('The parameter orderType must be asc or desc.');
  }
  const orderField = member(fields, 'orderField');
  if (typeof orderField !== 'string' || orderField === '') {
    throw declined('The parameter orderField must be the name of a field.');
  }
  return {
    orderField,
    descending: orderType === 'desc',
    conditions: readConditions(member(fields, 'conditions')),
    pageIndex: positive(fields, 'pageIndex'),
    pageSize: positive(fields, 'pageSize'),
  };
}

function positive(fields: Fields, name: string): number {
  const value = member(fields, name);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw declined(`The parameter ${name} must be a positive integer.`);
  }
  return value;
}

function readConditions(value: unknown): readonly Condition[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > CONDITIONS_TAKEN) {
    throw declined(`The parameter conditions must be an array of at most ${CONDITIONS_TAKEN} conditions.`);
  }
  return value.map(readCondition);
}

function readCondition(value: unknown): Condition {
  const fields = asFields(value);
  const fieldName = fields && member(fields, 'fieldName');
  if (fields === undefined || typeof fieldName !== 'string') {
    throw declined('A condition must be an object with a fieldName.');
  }
  const type = conditionType(member(fields, 'conditionalType') ?? 0);
  if (type === undefined) {
    throw declined(`The conditionalType of the condition on ${fieldName} must be an integer from 0 to 13.`);
  }
  const fieldValue = idText(member(fields, 'fieldValue'));
  if (fieldValue === undefined && needsValue(type)) {
    throw declined(`The fieldValue of the condition on ${fieldName} must be a string.`);
  }
  return { fieldName, fieldValue: fieldValue ?? '', type };
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Over all pages. */
  readonly totalCount: number;
}

/** The rows that meet every condition. */
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

/** The rows that meet every condition, sorted, and the page of them that was asked for. Equal rows keep their order. */
export function pageOf<T>(rows: readonly T[], columns: Columns<T>, request: PageRequest): Page<T> {
  const sortKey = column(columns, request.orderField);
  const direction = request.descending ? -1 : 1;
  const met = matching(rows, columns, request)
    .map((row) => ({ row, key: sortKey(row) }))
    .sort((a, b) => direction * compareFields(a.key, b.key))
    .map(({ row }) => row);
  const from = (request.pageIndex - 1) * request.pageSize;
  return { rows: met.slice(from, from + request.pageSize), totalCount: met.length };
}

/** Names count in any case (platform contract INC-17); an unknown one is refused (ENU-22). */
function column<T>(columns: Columns<T>, name: string): (row: T) => FieldValue {
  const found = member(columns, name);
  if (found === undefined) throw declined(`There is no field ${name}.`);
  return found;
}

/** A row as the listing shows it: every column by its name. */
export const shownRow = <T>(row: T, columns: Columns<T>): Readonly<Record<string, FieldValue>> =>
  withTexts(Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(row)])));

/** A record whose optional members are documented as strings: absent ones are empty strings, never null. */
export const withTexts = <Value>(
  record: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value | ''>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value ?? '']));

/** `msg` is null for paged answers (platform contract GEN-5, GEN-7). */
export function pagedReply(data: readonly unknown[], totalCount: number, request: PageRequest): Reply {
  const { pageIndex, pageSize } = request;
  return jsonReply({ success: true, msg: null, data, pageIndex, pageSize, totalCount });
}
