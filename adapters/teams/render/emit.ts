/** Writes answers in Teams' Markdown, which has no headings, tables, images, tasks or horizontal rules. */

import { createEmitter, type Dialect, type Emitter } from '../../../src/kit/ladder.ts';
import { words } from './words.ts';

/**
 * Writes a source reference as `[1]`, because Teams finds a citation by its number in brackets (Teams documentation of
 * citations).
 */
const mark = (number: number): string => `[${number}]`;
const tagless = (text: string): string => text.replaceAll('<', '&lt;');
const image = (label: string): string => `${words.imageMark} ${label}`;

/**
 * Estimates for a table in a card, in UTF-16 units: per column, per row, per cell, and per change of style in a cell.
 */
const COLUMN_UNITS = 110;
const ROW_UNITS = 40;
const CELL_UNITS = 75;
const STYLE_UNITS = 30;

/**
 * Estimates the UTF-16 units that each line of a table needs in a card. The table's first two lines together are its
 * header.
 */
function tableUnits(lines: string): number {
  const [first = '', ...others] = lines.trim().split('\n');
  const cells = first.replace(/^[ \t>]*\||\|$/g, '').split('|').length;
  const marks = first.match(/[*_`[~]/g)?.length ?? 0;
  const frame = others.length === 0 ? 0 : cells * (COLUMN_UNITS + STYLE_UNITS);
  return frame + ROW_UNITS + cells * CELL_UNITS + marks * STYLE_UNITS + first.length;
}

const teamsMarkdown: Dialect = {
  prose: (text) => text,
  // Teams reads HTML tags even in code, so escape `<` there too; a single `>` does no harm.
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

/**
 * Matches languages for which extended Markdown draws a code block (for example, as a diagram) instead of showing its
 * code.
 */
const renderedLanguages = /card|mermaid|math|latex|tex|graph|diagram|html|svg/i;
/** Escapes dollar signs, because extended Markdown would show text between two prices as a formula. */
const withoutFormulas = (text: string): string => text.replaceAll('$', '\\$');

/**
 * Puts an invisible character into mention tags inside an answer's code, so that the tags mention no one (attack S03:
 * unwanted mentions).
 */
const withoutMentions = (text: string): string => text.replace(/<(?=\/?at)/gi, '<\u2060');

/**
 * Dialect for the text format `extendedmarkdown`: CommonMark with tables and tasks (Teams documentation of bot
 * messages).
 */
const extendedMarkdown: Dialect = {
  prose: withoutFormulas,
  code: withoutMentions,
  // In a table, a bar ends the code span, and a tag after the bar would take effect. So if there is a bar, escape tags.
  codeSpan: (text) => (text.includes('|') ? tagless(text) : withoutMentions(text)),
  language: (name) => (renderedLanguages.test(name) ? '' : name),
  mark,
  image: (label) => image(withoutFormulas(label)),
};

const emitters = {
  markdown: createEmitter(teamsMarkdown),
  extendedmarkdown: createEmitter(extendedMarkdown),
};

export type TextFormat = keyof typeof emitters;

export const emitterOf = (format: TextFormat): Emitter => emitters[format];
