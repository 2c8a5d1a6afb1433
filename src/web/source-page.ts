/**
 * The page that a signed link to a source opens. It has no scripts or images, and its only link leads to the
 * document.
 */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../core/log.ts';
import { asBridgeError } from '../errors.ts';
import { shortened } from '../reply/markdown/emission/escape.ts';
import { safeDestination } from '../reply/markdown/links.ts';
import { Html, html, passageHtml } from './passage-html.ts';
import type { SourceGrant, SourceLinks } from './source-links.ts';

/**
 * Maximum lengths of a title and of one passage, in UTF-16 units. The platform's passages are usually some hundred
 * units long.
 */
const TITLE_CHARS = 300;
const PASSAGE_CHARS = 3_000;
const MAX_PASSAGES = 10;
/** Maximum size of all passages as HTML, in bytes. */
const PASSAGES_BYTES = 200_000;

/** Content of a source's page. */
export interface SourceView {
  /** The source's number in the answer's text. */
  readonly number: number;
  readonly title: string;
  /** The passages in Markdown, best first. */
  readonly passages: readonly string[];
}

const NAME = 'Source of an answer';

/** @param hours number of hours for which the page shows the passages */
export function sourcePage({ number, title, passages }: SourceView, link: string, hours: number): string {
  const { shown, isCut } = fitting(passages);
  const none = html`<p class="note">The platform sent no passage from this source.</p>`;
  return page(html`<p class="kind">Source ${number} of an answer</p>
<h1 dir="auto">${shortened(title, TITLE_CHARS)}</h1>
${opener(link)}
<h2>${shown.length === 1 ? 'The passage that the answer used' : 'Passages that the answer used, best match first'}</h2>
${shown.length === 0 && !isCut ? none : shown.map((passage) => html`<article dir="auto">${passage}</article>`)}
${isCut ? html`<p class="note">Further passages are too long for this page. Open the document to read them.</p>` : ''}
<footer>Everyone who has this address can read this page. Passages stay here for at most ${hours === 1 ? '1 hour' : `${hours} hours`}; then the address leads to the document only.</footer>`);
}

/**
 * Returns the page of a link that no longer shows passages. It contains only the document's own link.
 * @param why a sentence that explains why no passages are shown
 */
const linkPage = (link: string, why: string): string =>
  page(html`<h1>${NAME}</h1>
<p>${why}</p>
${opener(link)}`);

/** Returns the page of an invalid link. */
const refusalPage = (title: string, sentence: string): string =>
  page(html`<h1>${title}</h1>
<p>${sentence}</p>`);

/**
 * Returns as many passages as fit on the page, best first. Stops at the first passage that does not fit, even if a
 * later passage is shorter.
 */
function fitting(passages: readonly string[]): { shown: readonly Html[]; isCut: boolean } {
  const included: Html[] = [];
  let bytes = 0;
  for (const passage of passages.slice(0, MAX_PASSAGES)) {
    const written = passageHtml(shortened(passage, PASSAGE_CHARS));
    bytes += Buffer.byteLength(written.text);
    if (bytes > PASSAGES_BYTES) return { shown: included, isCut: true };
    if (written.text !== '') included.push(written);
  }
  return { shown: included, isCut: passages.length > MAX_PASSAGES };
}

/**
 * Returns the link to the document. Shows the link's real host as well, because the document's title may name another
 * host (attack S04).
 */
function opener(link: string): Html {
  const target = safeDestination(link);
  if (target === undefined || !/^https?:/.test(target.href)) return html``;
  return html`<p class="open"><a href="${target.href}" rel="noopener noreferrer nofollow">Open the document</a> <span class="host">${target.host}</span></p>`;
}

const STYLE = `:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--ink:#1c2330;--dim:#596375;--edge:#d8dde6;--act:#1f5fd0;--on:#fff}
@media (prefers-color-scheme:dark){:root{--back:#12151b;--card:#1b2029;--ink:#e6e9ef;--dim:#9aa4b5;--edge:#343c4a;--act:#8db4ff;--on:#10141b}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--back);color:var(--ink);font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:44rem;margin:1rem auto}
h1{margin:0;font-size:1.6rem;line-height:1.25}
h2{margin:1.75rem 0 .5rem;font-size:1rem}
.kind,.note,.host,footer{color:var(--dim);font-size:.9rem}
.kind{margin:0 0 .25rem}
.open{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:center;margin:1rem 0}
.open a{padding:.5rem 1rem;border-radius:.5rem;background:var(--act);color:var(--on);font-weight:600;text-decoration:none}
.open a:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
article{margin:.75rem 0;padding:.25rem 1rem;background:var(--card);border:1px solid var(--edge);border-radius:.75rem}
.heading{font-weight:600}
.plain{white-space:pre-wrap}
.image{font-style:italic}
blockquote{margin:.75rem 0;padding-inline-start:1rem;border-inline-start:3px solid var(--edge)}
li>p{margin:.25rem 0}
pre,.wide{overflow-x:auto;margin:.75rem 0}
code{font:.9em ui-monospace,monospace}
table{border-collapse:collapse}
th,td{padding:.3rem .6rem;border:1px solid var(--edge);text-align:start;vertical-align:top;overflow-wrap:normal}
footer{margin-top:1.5rem}`;

/**
 * Returns a whole page. Its `title` element does not contain the document's title, because link previews show that
 * element to people who cannot open the document.
 */
function page(body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow, noarchive">
<title>${NAME}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text;
}

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/**
 * Content security policy of these pages: only the page's own style is loaded. The sandbox allows links and
 * downloads.
 */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-downloads',
].join('; ');

/**
 * Headers of every page in this file. They keep the page's secret address from other sites, search engines and
 * caches.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Maximum number of pages that are created at the same time. Each may read an answer with all its passages. */
const MAX_CONCURRENT = 16;

export interface SourceDeps {
  readonly links: SourceLinks;
  /** Number of hours for which a link shows passages. */
  readonly hours: number;
  readonly log: Log;
  /**
   * Resolves with the page's content; undefined if the answer is no longer stored, or was private. Rejects
   * with `store-unavailable`.
   */
  find(grant: SourceGrant): Promise<SourceView | undefined>;
}

/**
 * Serves `GET /sources/<sealed>`. Shows the passages of an answer while they are stored; afterwards, only the
 * document's own link.
 */
export function sourceRoute(deps: SourceDeps) {
  let reading = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, refusalPage('Not possible', 'This page can only be read.'));
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
    if (reading >= MAX_CONCURRENT) return send(response, 503, linkPage(grant.link, LATER));
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
