import type { Source } from '../../core/reply.ts';
import { resolveAddress } from '../base-url.ts';
import { call, signed } from '../client.ts';
import { open, readBytes } from '../exchange.ts';
import { tryJson } from '../json.ts';
import { MAX_JSON_BYTES } from '../limits.ts';
import { type Detail, fileDetail, previewFile } from '../operations/media.ts';
import { readableName } from '../sources.ts';
import type { CallContext, Wiring } from '../wiring.ts';

/** Maximum number of sources that are looked up per answer, because each look-up delays the end of the answer. */
const MAX_LOOKUPS = 5;

/**
 * Adds the titles and addresses of the documents behind the sources. A title comes from the file details, an address
 * from the preview (platform contract MED-6). Sources without a title are looked up first. A source whose look-up
 * fails stays unchanged.
 */
export async function describeSources(
  wiring: Wiring,
  sources: readonly Source[],
  context: CallContext,
): Promise<readonly Source[]> {
  const wanted = sources.filter(
    (source) => source.document !== undefined && (source.link === undefined || source.title === ''),
  );
  const nameless = ({ title }: Source): number => (title === '' ? 0 : 1);
  const looked = new Set(wanted.toSorted((a, b) => nameless(a) - nameless(b)).slice(0, MAX_LOOKUPS));
  return Promise.all(
    sources.map((source) => (looked.has(source) ? describe(wiring, source, context) : source)),
  );
}

async function describe(wiring: Wiring, source: Source, context: CallContext): Promise<Source> {
  try {
    const detail = await call(wiring, fileDetail, { documentId: source.document ?? '' }, context);
    const titled =
      source.title === '' ? { ...source, title: readableName(detail.name, source.document) ?? '' } : source;
    if (source.link !== undefined) return titled;
    const link = await previewLink(wiring, source.document ?? '', detail, context).catch(() => undefined);
    context.signal.throwIfAborted();
    return link === undefined ? titled : { ...titled, link };
  } catch {
    context.signal.throwIfAborted();
    return source;
  }
}

/**
 * Returns the preview's address, which people can open. Requests no preview if the numeric file type is unknown,
 * because the platform requires that number (platform contract DEC-18, DEC-19).
 */
async function previewLink(
  wiring: Wiring,
  document: string,
  { id = document, objectType = '', filetype }: Detail,
  context: CallContext,
): Promise<string | undefined> {
  if (filetype === undefined) return undefined;
  const request = { id, objectType, filetype };
  return signed(wiring, previewFile, context, async (headers) => {
    const answer = await open(wiring, previewFile, request, {
      headers,
      signal: context.signal,
      firstByteMs: wiring.timeouts.callMs,
      accept: 'application/json',
      redirects: 'returned',
    });
    if (answer.status >= 300) {
      answer.discard();
      return openable(wiring, answer.headers.location);
    }
    if (!/json/.test(answer.headers['content-type'] ?? 'json')) {
      answer.discard();
      return undefined;
    }
    const body = tryJson((await readBytes(answer, MAX_JSON_BYTES)).toString('utf8'));
    const read = previewFile.response.safeParse(previewFile.read(body, wiring.deployment));
    return read.success ? openable(wiring, read.data.link) : undefined;
  });
}

/**
 * Returns the link as an http(s) address. Returns undefined for a temporary link, because people cannot open it
 * without a token.
 */
function openable(wiring: Wiring, link: string | undefined): string | undefined {
  const url = resolveAddress(wiring.base, link);
  return url === undefined || url.pathname.includes('/ekb-temporary-file/') ? undefined : url.href;
}
