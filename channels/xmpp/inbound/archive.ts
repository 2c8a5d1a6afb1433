/** Reads the archives of rooms and of the account (XEP-0313). */

import { randomUUID } from 'node:crypto';
import { defined } from 'parley/kit';
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

interface Query {
  readonly from: string | undefined;
  readonly found: Archived[];
}

interface Page {
  readonly found: readonly Archived[];
  /** Id of the page's last message. */
  readonly last?: string;
  /** Id of the page's first message. */
  readonly first?: string;
  readonly isComplete: boolean;
}

/** Which page to read: the one after or before a message; `before` with an empty id is the last page. */
type At = { readonly after?: string } | { readonly before: string };

export function createArchive(connection: () => Connection) {
  const open = new Map<string, Query>();
  const readPage = async (asked: ArchiveQuery, at: At, signal: AbortSignal): Promise<Page> => {
    const queryid = randomUUID();
    const query: Query = { from: asked.room, found: [] };
    open.set(queryid, query);
    try {
      const content = queryOf(asked, queryid, at);
      const answer = await connection().request('set', asked.room, content, signal);
      const fin = childOf(answer, 'fin', NS.archive);
      const set = fin && childOf(fin, 'set', NS.pages);
      const last = set && childText(set, 'last');
      const first = set && childText(set, 'first');
      const isComplete = fin?.attrs.complete === 'true' || last === undefined;
      return { found: query.found, isComplete, ...defined({ first, last }) };
    } finally {
      open.delete(queryid);
    }
  };
  return {
    /** Passes a result of a query on. Returns false if the message is no result of an open query. */
    take(message: Element) {
      const result = childOf(message, 'result', NS.archive);
      const query = result && open.get(result.attrs.queryid ?? '');
      if (result === undefined || query === undefined) return false;
      const found = isFrom(message, query, connection()) ? archivedIn(result) : undefined;
      if (found !== undefined) query.found.push(found);
      return true;
    },
    /** Resolves with the messages, oldest first. Rejects with `StanzaError` if there is no archive. */
    async read(query: ArchiveQuery, signal: AbortSignal) {
      const all: Archived[] = [];
      let after: string | undefined;
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const { found, last, isComplete } = await readPage(query, defined({ after }), signal);
        all.push(...found);
        if (isComplete || found.length === 0) break;
        after = last;
      }
      return all;
    },
    /** Resolves with the newest message that `isIt` accepts, or undefined. Rejects as `read` does. */
    async find(query: ArchiveQuery, isIt: (archived: Archived) => boolean, signal: AbortSignal) {
      let before = '';
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const { found, first, isComplete } = await readPage(query, { before }, signal);
        const match = found.findLast(isIt);
        if (match !== undefined || isComplete || first === undefined) return match;
        before = first;
      }
      return undefined;
    },
  };
}

/** True if the queried archive itself sent the result. A result from another address may be forged. */
function isFrom({ attrs: { from } }: Element, query: Query, connection: Connection): boolean {
  if (query.from !== undefined) return from === query.from;
  return from === undefined || from === bareOf(connection.jid() ?? '');
}

function archivedIn(result: Element): Archived | undefined {
  const forwarded = childOf(result, 'forwarded', NS.forward);
  const message = forwarded && childOf(forwarded, 'message', NS.client);
  if (forwarded === undefined || message === undefined) return undefined;
  const stamp = childOf(forwarded, 'delay', NS.delay)?.attrs.stamp;
  return { id: result.attrs.id ?? '', message, stamp };
}

function queryOf({ person, since }: ArchiveQuery, queryid: string, at: At): Element {
  const field = (name: string, value: string, type?: string) =>
    element('field', NS.form, { var: name, type }, element('value', NS.form, {}, value));
  const form = element(
    'x',
    NS.form,
    { type: 'submit' },
    field('FORM_TYPE', NS.archive, 'hidden'),
    field('start', new Date(Math.max(0, since)).toISOString()),
    person === undefined ? undefined : field('with', person),
  );
  const max = element('max', NS.pages, {}, `${PAGE}`);
  const place =
    'before' in at
      ? element('before', NS.pages, {}, at.before)
      : at.after === undefined
        ? undefined
        : element('after', NS.pages, {}, at.after);
  const page = element('set', NS.pages, {}, max, place);
  return element('query', NS.archive, { queryid }, form, page);
}
