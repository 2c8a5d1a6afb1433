import { count } from '../wire/members.ts';

interface PagingRule {
  /** Elements of a page unless the caller says otherwise. */
  readonly pageSize: number;
  /** Other names on the wire. */
  readonly names?: { readonly pageIndex: string; readonly pageSize: string };
}

/** The members that choose a page; always sent (platform contract GEN-7, LIM-7). */
export function paging({ pageSize, names }: PagingRule) {
  return {
    pageIndex: count('Which page, from 1', names && { name: names.pageIndex }).default(1),
    pageSize: count('Elements of a page', names && { name: names.pageSize }).default(pageSize),
  };
}
