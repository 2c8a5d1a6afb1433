/** Reads the archives of rooms and of the account (XEP-0313). */

import { randomUUID } from 'node:crypto';
import { bareOf, NS } from '../protocol.ts';
import type { Connection } from '../stream/connection.ts';
import { childOf, childText, type Element, element } from '../stream/xml.ts';

export interface Archived {
  /** Id of the message in the archive. */
  readonly id: string;
  readonly message: Element;
  /** Time of the message, as the archive writes it. */
  readonly stamp: string | undefined;
}

export interface ArchiveQuery {
  /** The room; undefined for the account's own archive. */
  readonly room?: string | undefined;
  /** Only messages with this person, in the account's own archive. */
  readonly person?: string;
  /** Earliest time, in milliseconds since the epoch. */
  readonly since: number;
}

export type Archive = ReturnType<typeof createArchive>;

/** Messages per page; ejabberd and prosody send at most 50 to 250. */
const PAGE = 100;
/** Maximum pages of one query. */
const MAX_PAGES = 20;

export function createArchive(connection: Pick<Connection, 'jid' | 'request'>) {
  const open = new Map<string, { readonly from: string | undefined; readonly found: Archived[] }>();
  /** @param before id of the message before which the page ends; empty for the last page */
  const readPage = async (query: ArchiveQuery, before: string, signal: AbortSignal) => {
    const queryid = randomUUID();
    const found: Archived[] = [];
    open.set(queryid, { from: query.room, found });
    try {
      const max = element('max', NS.pages, {}, `${PAGE}`);
      const page = element('set', NS.pages, {}, max, element('before', NS.pages, {}, before));
      const content = element('query', NS.archive, { queryid }, formOf(query), page);
      const answer = await connection.request('set', query.room, content, signal);
      const fin = childOf(answer, 'fin', NS.archive);
      const set = childOf(fin, 'set', NS.pages);
      const isComplete = fin?.attrs.complete === 'true' || found.length === 0;
      return { found, next: isComplete ? undefined : childText(set, 'first') };
    } finally {
      open.delete(queryid);
    }
  };
  /** Reads pages, the last one first. Rejects with `StanzaError` if there is no archive. */
  async function* readPages(query: ArchiveQuery, signal: AbortSignal) {
    let before: string | undefined = '';
    for (let pages = 0; pages < MAX_PAGES && before !== undefined; pages += 1) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(query, before, signal);
      yield page.found;
      before = page.next;
    }
  }
  return {
    /** Passes a result of a query on. Returns false if the message is no result of an open query. */
    take(message: Element) {
      const result = childOf(message, 'result', NS.archive);
      const query = open.get(result?.attrs.queryid ?? '');
      if (result === undefined || query === undefined) return false;
      // A result from another address than the queried archive may be forged.
      const by = query.from === undefined ? [undefined, bareOf(connection.jid() ?? '')] : [query.from];
      const forwarded = childOf(result, 'forwarded', NS.forward);
      const inner = childOf(forwarded, 'message', NS.client);
      const stamp = childOf(forwarded, 'delay', NS.delay)?.attrs.stamp;
      if (by.includes(message.attrs.from) && inner !== undefined)
        query.found.push({ id: result.attrs.id ?? '', message: inner, stamp });
      return true;
    },
    /** Resolves with the newest messages, oldest first. Rejects with `StanzaError` if there is no archive. */
    async read(query: ArchiveQuery, signal: AbortSignal): Promise<readonly Archived[]> {
      const pages: (readonly Archived[])[] = [];
      for await (const found of readPages(query, signal)) pages.unshift(found);
      return pages.flat();
    },
    /** Resolves with the newest message that `isIt` accepts, or undefined. Rejects as `read` does. */
    async find(query: ArchiveQuery, isIt: (archived: Archived) => boolean, signal: AbortSignal) {
      for await (const found of readPages(query, signal)) {
        const match = found.findLast(isIt);
        if (match !== undefined) return match;
      }
      return undefined;
    },
  };
}

function formOf({ person, since }: ArchiveQuery): Element {
  const field = (name: string, value: string, type?: string) =>
    element('field', NS.form, { var: name, type }, element('value', NS.form, {}, value));
  return element(
    'x',
    NS.form,
    { type: 'submit' },
    field('FORM_TYPE', NS.archive, 'hidden'),
    field('start', new Date(Math.max(0, since)).toISOString()),
    person === undefined ? undefined : field('with', person),
  );
}
