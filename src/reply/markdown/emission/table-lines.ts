/** Finds the table around a line of source, and limits the number of tables in a text. */

/** Matches the row of dashes below a table's head. */
export const delimiter = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/**
 * Maximum number of lines that are searched backwards for a table's start. A longer table continues in the next
 * message without its head.
 */
const MAX_LINES_BACK = 400;
/**
 * Maximum length of a table's head that is repeated in the next message, in UTF-16 units. A longer head would fill
 * the message.
 */
const MAX_HEAD_CHARS = 1_000;

const isRow = (line: string): boolean => line.includes('|');

/** Returns the start of the table that contains the line at `at`; undefined if there is none. */
export function tableAround(source: string, at: number): number | undefined {
  if (!isRow(lineAt(source, at))) return undefined;
  let below = at;
  for (let count = 0; count < MAX_LINES_BACK && below > 0; count++) {
    const from = source.lastIndexOf('\n', below - 2) + 1;
    const line = lineAt(source, from);
    if (!isRow(line)) return undefined;
    if (delimiter.test(line) && from > 0) {
      const head = source.lastIndexOf('\n', from - 2) + 1;
      const isHead = isRow(lineAt(source, head)) && below - head <= MAX_HEAD_CHARS;
      return isHead ? head : undefined;
    }
    below = from;
  }
  return undefined;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Returns the Markdown with at most `most` tables. Escapes the row of dashes of each further table, so that its rows
 * appear as plain lines with bars. Counts tables line by line, and may find more tables than a parser does.
 */
export function withTables(markdown: string, most: number): string {
  let open: string | undefined;
  let tables = 0;
  let above = '';
  const lines = markdown.split('\n').map((line) => {
    const mark = fence.exec(line)?.[1]?.[0];
    const wasOpen = open !== undefined;
    if (open === undefined || open === mark) open = wasOpen ? undefined : mark;
    const begins = !wasOpen && isRow(above) && isRow(line) && delimiter.test(line);
    above = line;
    if (!begins) return line;
    tables += 1;
    return tables <= most ? line : line.replace(/[|:-]/, '\\$&');
  });
  return lines.join('\n');
}

function lineAt(source: string, from: number): string {
  const end = source.indexOf('\n', from);
  return source.slice(from, end < 0 ? source.length : end);
}
