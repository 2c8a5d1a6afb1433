import { z } from 'zod';
import { confirms } from '../envelope.ts';
import { asList, type Fields, finderIn, idOf, isFields, numberOf, one } from '../shapes.ts';
import { decode } from './decode.ts';
import type { Deployment } from './deployment.ts';
import { text } from './members.ts';

/** Shape of a result: one item, a list, a page of a list, or success only. */
export type Shape = 'one' | 'many' | 'page' | 'nothing';

/** One page of a list (platform contract GEN-7, GEN-8). */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pageIndex: number;
  readonly pageSize: number;
  /** The total number of items that the platform reported; valid only if `totalKnown`. */
  readonly totalCount: number;
  /** False if the platform reported a total of 0 or -1, which means that it does not count the items. */
  readonly totalKnown: boolean;
}

type Read = (body: unknown, deployment: Deployment) => unknown;

interface Answer<S extends Shape, Result> {
  readonly shape: S;
  /** Description of one item as the wire has it. Absent if the response has no items that are described. */
  readonly item?: z.ZodType;
  readonly response: z.ZodType<Result>;
  readonly read: Read;
}

/** Describes a response with one item: an object, or a list that contains it (platform contract GEN-14). */
export function answersOne<Item extends z.ZodType>(item: Item): Answer<'one', z.output<Item>> {
  return {
    shape: 'one',
    item,
    response: item as z.ZodType<z.output<Item>>,
    read: (body, deployment) => documented(decode(item, dataOf(body), deployment)),
  };
}

/** Describes a response with the id of a new item: `data` itself, or its field `id` or `alias`. */
export function answersId(doc: string, alias: string): Answer<'one', { readonly id: string }> {
  return {
    shape: 'one',
    response: z.object({ id: text(doc) }),
    read: (body) => ({ id: idOf(one(dataOf(body)) ?? { id: dataOf(body) }, ['id', alias]) }),
  };
}

/**
 * Describes a response with a list. A single object is read as a list of one, and a missing value as an empty list
 * (platform contract GEN-14).
 */
export function answersMany<Item extends z.ZodType>(item: Item): Answer<'many', readonly z.output<Item>[]> {
  const list = z.array(item);
  return {
    shape: 'many',
    item,
    response: list as z.ZodType<readonly z.output<Item>[]>,
    read: (body, deployment) => usable(item, body, deployment),
  };
}

/** Describes a response with one page of a list. */
export function answersPage<Item extends z.ZodType>(item: Item): Answer<'page', Page<z.output<Item>>> {
  const list = z.array(item);
  const page = z.object({
    items: list,
    pageIndex: z.number(),
    pageSize: z.number(),
    totalCount: z.number(),
    totalKnown: z.boolean(),
  });
  return {
    shape: 'page',
    item,
    response: page as z.ZodType<Page<z.output<Item>>>,
    read: (body, deployment) => {
      const data = dataOf(body);
      const items = usable(item, body, deployment);
      if (items === undefined) return undefined;
      return { items, ...pagingOf(isFields(body) ? body : {}, one(data) ?? {}, items.length) };
    },
  };
}

/** Describes a response that only reports success. */
export const answersNothing: Answer<'nothing', undefined> = {
  shape: 'nothing',
  response: z.undefined(),
  read: () => undefined,
};

/**
 * Returns the content of the envelope, or the whole body if the server sent no envelope (platform contract GEN-4,
 * INC-3).
 */
export function dataOf(body: unknown): unknown {
  if (!isFields(body)) return body;
  const name = Object.keys(body).find((each) => each.toLowerCase() === 'data');
  return name === undefined ? body : body[name];
}

/** Returns the value; undefined for an object without any documented field (platform contract GEN-4). */
export function documented(value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.entries(value).some(([name, each]) => name !== 'raw' && each !== undefined)
    ? value
    : undefined;
}

/**
 * Decodes the elements of a list. Drops elements that lack a required field such as an id, because one such element
 * would make the whole list invalid. Returns undefined if the body has neither an element nor an envelope that reports
 * success.
 */
function usable(item: z.ZodType, body: unknown, deployment: Deployment): readonly unknown[] | undefined {
  const found = listOf(body);
  const items = asList(decode(z.array(item), found, deployment)) ?? [];
  const valid = items.filter((each) => documented(each) !== undefined && item.safeParse(each).success);
  return valid.length > 0 || found?.length === 0 || confirms(body, 'code') ? valid : undefined;
}

const LISTS = ['results', 'items', 'list', 'records', 'rows', 'clients', 'data', 'chunks'];

/**
 * Returns the list in a body: its content, or a field of it with one of the usual names (platform contract CLT-3). A
 * missing value and an envelope without data are an empty list. Returns undefined for a value that is neither.
 */
export function listOf(body: unknown): readonly unknown[] | undefined {
  const data = dataOf(body);
  if (data === null || data === undefined) return data === body ? undefined : [];
  const list = asList(data);
  if (list !== undefined || !isFields(data)) return list;
  const find = finderIn(data);
  const named = LISTS.map((name) => asList(find([name]))).find((each) => each !== undefined);
  return named ?? (isEnvelope(data) ? [] : [data]);
}

/** True for an envelope without data and for an object with page numbers. Neither of them is an element of a list. */
function isEnvelope(data: Fields): boolean {
  const names = Object.keys(data).map((name) => name.toLowerCase());
  const isList = [...LISTS, 'totalcount', 'total', 'searchid'].some((name) => names.includes(name));
  return isList || confirms(data, 'code');
}

/**
 * Reads the page numbers from the envelope or from the object that contains the list. A total of 0 is ignored if the
 * page has elements (platform contract GEN-8).
 */
function pagingOf(envelope: Fields, data: Fields, size: number): Omit<Page<never>, 'items'> {
  const count = (names: readonly string[]) => numberOf(envelope, names) ?? numberOf(data, names);
  const totalCount = count(['totalCount', 'total', 'total_count', 'count']) ?? -1;
  return {
    pageIndex: count(['pageIndex', 'page']) ?? 1,
    pageSize: count(['pageSize', 'page_size']) ?? size,
    totalCount,
    totalKnown: totalCount > 0 || (totalCount === 0 && size === 0),
  };
}
