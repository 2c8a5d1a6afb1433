/**
 * Configures the documentation site, which contains `docs` and some pages of the project's folder; `npm run docs`
 * builds it.
 */

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { chapters, fragmentOf, linkFrom, pages, placeOf } from '../sidebar.ts';
import { drawing } from './drawings.ts';

const root = new URL('../../../', import.meta.url).pathname;
/** Files to which pages link, but which are not pages themselves. */
const FILES = ['docs/config.schema.json', 'docs/grafana.json', 'docs/platform/openapi.json'];

const icon = readFileSync(join(root, 'adapters/console/page/mark.svg'), 'utf8');

const addressOf = (path: string): string => `/${placeOf(path).replace(/(index)?\.md$/, '')}`;

/** Resolves Vue from this folder for all pages, because the pages are in other folders, which have no Vue. */
const vueForAllPages: Plugin = {
  name: 'vue-for-all-pages',
  enforce: 'pre',
  resolveId(id, _importer, { ssr = false }) {
    if (!/^vue(\/server-renderer)?$/.test(id)) return null;
    // When pages are rendered, Node itself finds Vue, because it runs in this folder.
    return ssr ? { id, external: true } : this.resolve(id, import.meta.filename, { skipSelf: true });
  },
  configResolved({ optimizeDeps }) {
    // VitePress lists packages to bundle in advance. The project's folder does not have them, so they are bundled
    // when they are used.
    optimizeDeps.include = optimizeDeps.include?.filter((id) => !id.startsWith('vitepress > '));
  },
};

export default defineConfig({
  title: 'Parley',
  description: 'Brings the agents of an agent platform into team chat',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  srcDir: root,
  srcExclude: [...foreign(), '{docs/site,channels/*}/node_modules/**'],
  outDir: join(root, 'docs/site/dist'),
  cacheDir: join(root, 'docs/site/node_modules/.cache'),
  rewrites: Object.fromEntries(pages.map(({ path }) => [path, placeOf(path)])),
  vite: { plugins: [vueForAllPages] },
  markdown: { config: adapt, anchor: { slugify: fragmentOf } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: chapters.map(({ title, pages: listed, closed = false }) => ({
      text: title,
      collapsed: closed,
      items: listed.map((each) => ({ text: each.title, link: addressOf(each.path) })),
    })),
  },
  buildEnd({ outDir }) {
    for (const file of FILES) {
      const to = join(outDir, placeOf(file));
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(root, file), to);
    }
  },
});

/**
 * Returns glob patterns for everything in the project's folder that is not a page: the code, and what the user added,
 * such as the folder of a channel with a README.md.
 */
function foreign(): readonly string[] {
  const entries = readdirSync(root, { withFileTypes: true });
  const others = entries.filter(({ name }) => !pages.some(({ path }) => path.split('/')[0] === name));
  return others.map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name));
}

/** Makes links lead to addresses of the site, shows pictures in the reader's color scheme, and draws Mermaid fences. */
function adapt(md: MarkdownRenderer): void {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', linkFrom(relative(root, env.realPath ?? env.path), href));
    }
  });
  const image = md.renderer.rules.image;
  md.renderer.rules.image = (tokens, index, options, env, self) => {
    const light = tokens[index];
    const source = light?.attrGet('src') ?? '';
    const inDark = source.replace(/\.png$/, '-dark.png');
    const render = () =>
      image?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
    if (light === undefined || !existsSync(join(dirname(env.realPath ?? env.path), inDark))) return render();
    // If a picture has a dark version, writes both; the stylesheet shows the one for the page's color scheme.
    light.attrSet('class', 'light-only');
    const shown = render();
    light.attrSet('src', inDark);
    light.attrSet('class', 'dark-only');
    return shown + render();
  };
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return drawing(token.content);
    return fence?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
  };
}
