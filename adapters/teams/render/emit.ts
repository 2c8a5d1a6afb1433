/** Writes answers in Teams' Markdown, which has no headings, tables, images, tasks or rules. */

import { createEmitter, type Dialect, type Emitter } from '../../../src/kit/emission.ts';
import { words } from './words.ts';

/** Teams finds a citation by its number in brackets (Teams documentation of citations), so marks are not changed. */
const mark = (number: number): string => `[${number}]`;
const tagless = (text: string): string => text.replaceAll('<', '&lt;');
const image = (shown: string): string => `${words.imageMark} ${shown}`;

/** Estimated UTF-16 units of a card's table: for each column, row, cell, and change of style in a cell. */
const COLUMN_UNITS = 110;
const ROW_UNITS = 40;
const CELL_UNITS = 75;
const STYLE_UNITS = 30;

/** Estimates the UTF-16 units of a table's lines in a card. The first two lines together are the head. */
function tableUnits(lines: string): number {
  const [first = '', ...others] = lines.trim().split('\n');
  const cells = first.replace(/^[ \t>]*\||\|$/g, '').split('|').length;
  const marks = first.match(/[*_`[~]/g)?.length ?? 0;
  const frame = others.length === 0 ? 0 : cells * (COLUMN_UNITS + STYLE_UNITS);
  return frame + ROW_UNITS + cells * CELL_UNITS + marks * STYLE_UNITS + first.length;
}

const teamsMarkdown: Dialect = {
  prose: (text) => text,
  // Teams does not escape HTML tags, so `<` is escaped in code too; `>` alone is harmless.
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

/** Languages that extended Markdown renders instead of showing their code. */
const renderedLanguages = /card|mermaid|math|latex|tex|graph|diagram|html|svg/i;
/** Escapes dollar signs, because extended Markdown would show prices as formulas. */
const withoutFormulas = (text: string): string => text.replaceAll('$', '\\$');

/** Breaks the tags of mentions in code with an invisible character (attack S03). */
const withoutMentions = (text: string): string => text.replace(/<(?=\/?at)/gi, '<\u2060');

/** The text format `extendedmarkdown`: CommonMark with tables and tasks (Teams documentation of bot messages). */
const extendedMarkdown: Dialect = {
  prose: withoutFormulas,
  code: withoutMentions,
  // In a table, a bar splits the code span, and a tag in the rest would take effect.
  codeSpan: (text) => (text.includes('|') ? tagless(text) : withoutMentions(text)),
  language: (name) => (renderedLanguages.test(name) ? '' : name),
  mark,
  image: (shown) => image(withoutFormulas(shown)),
};

const emitters = {
  markdown: createEmitter(teamsMarkdown),
  extendedmarkdown: createEmitter(extendedMarkdown),
};

export type TextFormat = keyof typeof emitters;

export const emitterOf = (format: TextFormat): Emitter => emitters[format];
