/** The answer in Teams' Markdown, which knows no headings, tables, images, tasks and lines between parts. */

import { createEmitter, type Dialect, type Emitter } from '../../../src/kit/emission.ts';
import { words } from './words.ts';

/** A citation is found by its number in brackets (Teams documentation of citations), so these stay as they are. */
const mark = (number: number): string => `[${number}]`;
const tagless = (text: string): string => text.replaceAll('<', '&lt;');
const image = (shown: string): string => `${words.imageMark} ${shown}`;

/** UTF-16 units of a card's table: of its frame by column, of a row, a cell, and a change of look in a cell. */
const COLUMN_UNITS = 110;
const ROW_UNITS = 40;
const CELL_UNITS = 75;
const STYLE_UNITS = 30;

/** Lines of a table as its card has them; the first two together are its head. */
function tableUnits(lines: string): number {
  const [first = '', ...others] = lines.trim().split('\n');
  const cells = first.replace(/^[ \t>]*\||\|$/g, '').split('|').length;
  const marks = first.match(/[*_`[~]/g)?.length ?? 0;
  const frame = others.length === 0 ? 0 : cells * (COLUMN_UNITS + STYLE_UNITS);
  return frame + ROW_UNITS + cells * CELL_UNITS + marks * STYLE_UNITS + first.length;
}

const teamsMarkdown: Dialect = {
  prose: (text) => text,
  // Teams lets tags of HTML through, so none may begin in code either; what would end one is harmless alone.
  code: tagless,
  codeSpan: tagless,
  language: (name) => name,
  mark,
  image,
  task: words.task,
  heading: '**',
  rule: words.rule,
  tables: { mark: (number) => `**${words.table(number)}**`, units: tableUnits },
};

/** Languages that extended Markdown shows as more than code. */
const lively = /card|mermaid|math|latex|tex|graph|diagram|html|svg/i;
/** In extended Markdown dollar signs make formulas of prices. */
const withoutFormulas = (text: string): string => text.replaceAll('$', '\\$');

/** Code is shown as it is, but that no mention stands in it: its tag is broken where nobody sees it (attack S03). */
const withoutMentions = (text: string): string => text.replace(/<(?=\/?at)/gi, '<\u2060');

/** The text format `extendedmarkdown`: CommonMark with tables and tasks (Teams documentation of bot messages). */
const extendedMarkdown: Dialect = {
  prose: withoutFormulas,
  code: withoutMentions,
  // A row's bars part its cells before its code is read, so that a tag in it could come to life.
  codeSpan: (text) => (text.includes('|') ? tagless(text) : withoutMentions(text)),
  language: (name) => (lively.test(name) ? '' : name),
  mark,
  image: (shown) => image(withoutFormulas(shown)),
};

const emitters = {
  markdown: createEmitter(teamsMarkdown),
  extendedmarkdown: createEmitter(extendedMarkdown),
};

export type TextFormat = keyof typeof emitters;

/** How text is written in a format. */
export const emitterOf = (format: TextFormat): Emitter => emitters[format];
