import { z } from 'zod';
import { asList, type Fields, idOf, isFields, numberOf, one } from '../shapes.ts';
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
  readonly response: z.ZodType<Result>;
  readonly read: Read;
}

/** Describes a response with one item: an object, or a list that contains it (platform contract GEN-14). */
export function answersOne<Item extends z.ZodType>(item: Item): Answer<'one', z.output<Item>> {
  return {
    shape: 'one',
    response: item as z.ZodType<z.output<Item>>,
    read: (body, deployment) => decode(item, dataOf(body), deployment),
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
    response: list as z.ZodType<readonly z.output<Item>[]>,
    read: (body, deployment) => usable(item, decode(list, listOf(dataOf(body)) ?? [], deployment)),
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
    response: page as z.ZodType<Page<z.output<Item>>>,
    read: (body, deployment) => {
      const data = dataOf(body);
      const items = usable(item, decode(list, listOf(data) ?? [], deployment));
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
  return isFields(body) && 'data' in body ? body.data : body;
}

/**
 * Drops elements that lack a required field such as an id. Otherwise one such element would make the whole list
 * invalid.
 */
function usable(item: z.ZodType, items: unknown): readonly unknown[] {
  return (asList(items) ?? []).filter((each) => item.safeParse(each).success);
}

const LISTS = ['items', 'list', 'records', 'rows', 'clients', 'data'];

/** Returns a list that is either the whole value or a field with one of the usual names (platform contract CLT-3). */
function listOf(data: unknown): readonly unknown[] | undefined {
  const list = asList(data);
  if (list !== undefined || !isFields(data)) return list;
  const named = LISTS.map((name) => asList(data[name])).find((each) => each !== undefined);
  return named ?? (LISTS.some((name) => name in data) || isEnvelope(data) ? [] : [data]);
}

/** True for an envelope without data and for an object with page numbers. Neither of them is an element of a list. */
const isEnvelope = (data: Fields): boolean =>
  ['success', 'msg', 'code', 'totalCount', 'total'].some((name) => name in data);

/**
 * Reads the page numbers from the envelope or from the object that contains the list. A total of 0 is ignored if the
 * page has elements (platform contract GEN-8).
 */
function pagingOf(envelope: Fields, data: Fields, size: number): Omit<Page<never>, 'items'> {
  const told = (names: readonly string[]) => numberOf(envelope, names) ?? numberOf(data, names);
  const totalCount = told(['totalCount', 'total', 'total_count', 'count']) ?? -1;
  return {
    pageIndex: told(['pageIndex', 'page']) ?? 1,
    pageSize: told(['pageSize', 'page_size']) ?? size,
    totalCount,
    totalKnown: totalCount > 0 || (totalCount === 0 && size === 0),
  };
}
