/**
 * Reads the project's own pages and extracts parts of them. All functions are pure, except the one that reads the
 * files.
 */

import { globSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url).pathname;

export interface Page {
  /** Path relative to the project. */
  readonly path: string;
  readonly text: string;
}

export function readPages(): readonly Page[] {
  const inDocs = globSync('docs/**/*.md', { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] });
  const inChannels = globSync('channels/*/README.md', { cwd: root });
  const paths = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...inDocs, ...inChannels];
  return paths.map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }));
}

/** Returns the headings of a level, without their `#`. */
export function headings(text: string, level: number): readonly string[] {
  const mark = `${'#'.repeat(level)} `;
  return outsideFences(text)
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length).trim());
}

/** Returns the addresses of links to other files of the project, without their fragments. */
export function ownLinks(text: string): readonly string[] {
  const prose = outsideFences(text).join('\n');
  return [...prose.matchAll(/\]\((?!https?:|mailto:|#)([^)\s]+)\)/g)].map(([, to = '']) =>
    to.replace(/#.*/, ''),
  );
}

export interface Fence {
  readonly language: string;
  readonly body: string;
}

/** Returns fenced blocks with a language, including indented ones. */
export function fences(text: string): readonly Fence[] {
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```/gm)].map(
    ([, indent = '', language = '', body = '']) => ({
      language,
      body: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/**
 * Returns the commands that a reader types, from `sh` blocks. A line that ends in a backslash continues on the next
 * line.
 */
export function commands(text: string): readonly string[] {
  return fences(text)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ body }) => body.replace(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Returns the table rows whose number of cells differs from their table's head. */
export function raggedRows(text: string): readonly string[] {
  let columns = 0;
  return outsideFences(text).filter((line, index, lines) => {
    if (/^\|[\s:|-]+\|$/.test(lines[index + 1] ?? '')) columns = cellsOf(line);
    return line.startsWith('|') && cellsOf(line) !== columns;
  });
}

/** Counts the cells of a row. An escaped bar is text. */
const cellsOf = (row: string): number => row.split(/(?<!\\)\|/).length - 2;

function outsideFences(text: string): readonly string[] {
  return text.replace(/^```[\s\S]*?^```/gm, '').split('\n');
}

/** Returns the content of all fences with this info string (such as `js my-chat/channel.js`), joined. */
export function fenced(text: string, info: string): string {
  const fences = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(([, found, code = '']) => (found === info ? [code] : [])).join('\n');
}
