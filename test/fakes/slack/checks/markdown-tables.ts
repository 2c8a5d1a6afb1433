const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Counts the tables in Markdown, except in code. A table begins with a row of cells between `|`, then a row of dashes.
 */
export function tablesIn(markdown: string): number {
  const lines = markdown.split('\n');
  let fence: string | undefined;
  let tables = 0;
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1]?.[0];
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    const head = lines[index - 1] ?? '';
    if (
      fence === undefined &&
      head.includes('|') &&
      line.includes('-') &&
      line.includes('|') &&
      DELIMITER.test(line)
    )
      tables += 1;
  }
  return tables;
}
