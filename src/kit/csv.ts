/** Writes lines of CSV files (RFC 4180) that are safe to open in a spreadsheet. */

/**
 * Matches a cell that a spreadsheet may evaluate as a formula. A formula may also begin with a full-width sign, such as
 * `＝`.
 */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** Returns a line with every cell quoted. Puts `'` before a cell that a spreadsheet would evaluate as a formula. */
export const csvLine = (cells: readonly string[]): string => cells.map(quoted).join(',');

function quoted(cell: string): string {
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
