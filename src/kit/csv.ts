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

/** Returns the line of a record, with a cell for each column. A value that is no text is written as JSON. */
export function csvRecord(columns: readonly string[], record: object): string {
  const values = new Map<string, unknown>(Object.entries(record));
  return csvLine(columns.map((column) => cellOf(values.get(column))));
}

function cellOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
