import { liteEnvelope } from '../http/reply.ts';
import type { MediaDialect } from './names.ts';

export interface SignedPath {
  readonly id: string;
  /** Below the base. */
  readonly path: string;
}

/** The body of a link exchange in the shape of the chosen dialect (platform contract DEC-17). */
export function linkData(pairs: readonly SignedPath[], base: string, dialect: MediaDialect): unknown {
  const links = pairs.map(({ id, path }) => ({ id, url: `${base}${path}` }));
  const urls = links.map((link) => link.url);
  switch (dialect) {
    case 'link-string':
      return liteEnvelope(urls[0] ?? null);
    case 'link-strings':
      return liteEnvelope(urls);
    case 'link-link':
      return liteEnvelope(links.map(({ id, url }) => ({ fileId: id, link: url })));
    case 'link-temporary-url':
      return liteEnvelope(links.map(({ id, url }) => ({ id, temporary_url: url })));
    case 'link-path':
      return liteEnvelope(pairs.map(({ id, path }) => ({ file_id: id, path })));
    case 'link-keyed':
      return liteEnvelope(Object.fromEntries(links.map(({ id, url }) => [id, url])));
    case 'link-urls':
      return liteEnvelope({ urls });
    case 'link-links':
      return liteEnvelope({ links: urls });
    case 'link-list':
      return liteEnvelope({ list: links.map(({ id, url }) => ({ file_id: id, url })) });
    case 'link-top':
      return links.map(({ id, url }) => ({ file_id: id, url }));
    case 'link-relative':
      return liteEnvelope(pairs.map(({ id, path }) => ({ file_id: id, url: path.slice(1) })));
    case 'link-unknown':
      return liteEnvelope({ answer: 'no link here' });
    default:
      return liteEnvelope(links.map(({ id, url }) => ({ file_id: id, url })));
  }
}
