import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../core/log.ts';
import { asBridgeError } from '../errors.ts';
import type { SourceGrant, SourceLinks } from './source-links.ts';
import { linkPage, PAGE_HEADERS, refusalPage, type SourceView, sourcePage } from './source-page.ts';

/** Pages that are made at once: each may read an answer with all its passages. */
const AT_ONCE = 16;

export interface SourceDeps {
  readonly links: SourceLinks;
  /** Hours that a link shows passages. */
  readonly hours: number;
  readonly log: Log;
  /** Returns undefined once the answer is not kept any more, or if it was for one person. Rejects with `store-unavailable`. */
  find(grant: SourceGrant): Promise<SourceView | undefined>;
}

/** Serves `GET /sources/<sealed>`: the passages that an answer used while they are kept, then the document's own link. */
export function sourceRoute(deps: SourceDeps) {
  let reading = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, refusalPage('Not possible', 'This address can only be read.'));
    const opened = deps.links.open((request.url ?? '').replace(/^\/|\?.*/g, ''));
    if (opened.kind === 'forged')
      return send(
        response,
        404,
        refusalPage(
          'There is nothing at this address',
          'The link may be incomplete. Open the source from the answer again.',
        ),
      );
    const { grant, kind } = opened;
    if (kind === 'expired') return send(response, 200, linkPage(grant.link, OVER));
    if (reading >= AT_ONCE) return send(response, 503, linkPage(grant.link, LATER));
    reading += 1;
    try {
      const view = await deps.find(grant);
      const page = view === undefined ? linkPage(grant.link, OVER) : sourcePage(view, grant.link, deps.hours);
      send(response, 200, page);
    } catch (thrown) {
      const error = asBridgeError(thrown);
      deps.log.warn({ turn: grant.turn, code: error.code }, 'the passages of a source could not be read');
      send(response, 503, linkPage(grant.link, LATER));
    } finally {
      reading -= 1;
    }
  };
}

const OVER = 'The passages are no longer kept. The document may still be there.';
const LATER = 'The passages cannot be read at the moment. Open the document, or try again in a minute.';

function send(response: ServerResponse, status: number, page: string): void {
  const body = Buffer.from(page);
  response.writeHead(status, { ...PAGE_HEADERS, 'content-length': body.byteLength });
  response.end(body);
}
