/** Reads the built documentation site: its pages, the links between them, and the resources they load. */

import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Content of the site's text files, by path such as `platform/index.html`. */
export type Site = ReadonlyMap<string, string>;

export function readSite(folder: string): Site {
  const paths = globSync('**/*.{html,css,svg,js,json}', { cwd: folder });
  return new Map(paths.map((path) => [path, readFileSync(`${folder}/${path}`, 'utf8')]));
}

/** Returns the links to pages or fragments that do not exist. */
export function deadLinks(site: Site): readonly string[] {
  return htmlOf(site).flatMap(([path, html]) =>
    [...html.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .filter((href) => !/^[a-z]+:/.test(href) && !leads(site, path, href))
      .map((href) => `${path}: ${href}`),
  );
}

function leads(site: Site, from: string, href: string): boolean {
  const [to = '', fragment = ''] = href.split('#');
  const target =
    to === '' ? from : posix.join('/', posix.dirname(from), to.startsWith('/') ? '' : to).slice(1);
  const path = to.startsWith('/') ? to.slice(1) : target;
  const page = site.get(path === '' || path.endsWith('/') ? `${path}index.html` : path);
  return page !== undefined && (fragment === '' || page.includes(`id="${decodeURIComponent(fragment)}"`));
}

/** Returns addresses on other hosts from which a page or stylesheet loads resources. Ordinary links do not count. */
export function foreignLoads(site: Site): readonly string[] {
  const inPages = htmlOf(site).flatMap(([path, html]) =>
    [
      ...html.matchAll(/<(?!a\b)[a-z]+\b[^>]*\s(?:src|srcset|href|poster|data)="((?:https?:)?\/\/[^"]*)"/g),
    ].map(([, to]) => `${path}: ${to}`),
  );
  const styled = [...site].filter(([path]) => !/\.js(on)?$/.test(path));
  const inStyles = styled.flatMap(([path, text]) =>
    [...text.matchAll(/(?:url\(["']?|@import\s+["'])((?:https?:)?\/\/[^"')]*)/g)].map(
      ([, to]) => `${path}: ${to}`,
    ),
  );
  return [...inPages, ...inStyles];
}

const htmlOf = (site: Site): readonly (readonly [string, string])[] =>
  [...site].filter(([path]) => path.endsWith('.html'));
