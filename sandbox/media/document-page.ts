import type { Reply } from '../http/reply.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { Images } from '../store/images.ts';
import type { Chunk } from '../store/passages.ts';

/** The page behind a source: the document's passages as people read them, with its pictures. */
export function documentPage(document: StoredDocument, chunks: readonly Chunk[], images: Images): Reply {
  const body = chunks
    .map((chunk) => `<h2 id="c${chunk.id}">${entities(chunk.heading)}</h2>${passage(chunk.text, images)}`)
    .join('\n');
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${entities(document.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style>
<body><main><h1>${entities(document.title)}</h1><p class="name">${entities(document.name)}</p>${body}</main></body></html>`;
  return { status: 200, headers: { ...PAGE_HEADERS }, body: html };
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
};

const STYLE = `body{font:16px/1.6 system-ui,sans-serif;margin:0;background:#f6f7f9;color:#1c2330}
main{max-width:44rem;margin:2rem auto;padding:2rem;background:#fff;border-radius:12px}
h1{margin:0}h2{font-size:1.05rem;margin:1.6rem 0 .3rem}.name{color:#667;margin-top:.2rem}
div{white-space:pre-wrap;overflow-wrap:anywhere}img{max-width:100%;border-radius:8px}
@media (prefers-color-scheme:dark){body{background:#12151b;color:#e6e9ef}main{background:#1b2029}.name{color:#9aa4b5}}`;

const IMAGE = /!\[([^\]]*)\]\((\d{4,15})\)/g;

function passage(text: string, images: Images): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(IMAGE)) {
    html += entities(text.slice(at, match.index)) + picture(match[1] ?? '', match[2] ?? '', images);
    at = match.index + match[0].length;
  }
  return `<div>${html}${entities(text.slice(at))}</div>`;
}

function picture(alt: string, fileId: string, images: Images): string {
  const image = images.find(fileId);
  if (image === undefined) return entities(alt);
  const data = Buffer.from(image.bytes).toString('base64');
  return `<img alt="${entities(alt)}" src="data:${image.type};base64,${data}">`;
}

const entities = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
