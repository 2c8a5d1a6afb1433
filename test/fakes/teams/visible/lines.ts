/**
 * Shows line breaks as Teams does: a single line break joins two lines, in `markdown` and in `plain`
 * (MicrosoftDocs/msteams-docs issue 740, microsoft/teams.py issue 162; also Agents Playground 0.2.28). In `markdown`, two
 * spaces before the line break keep the lines apart (microsoft/botframework-sdk issue 5575), and so do lines that begin a
 * block, and code. In `plain`, the Playground ignores the two spaces, so only blank lines keep lines apart here.
 */

/** Matches the beginning of a list item, a quote, a heading, a block of code or a row of a table. */
const block = /^\s*(?:[-*+]\s|\d{1,9}[.)]\s|>|#{1,6}\s|`{3,}|~{3,}|\|)/;
const fence = /^(`{3,}|~{3,})/;

export function shownLines(text: string, format: string): string {
  const isMarkdown = format !== 'plain';
  let shown = '';
  let open: string | undefined;
  let before: string | undefined;
  for (const line of text.split('\n')) {
    const isCode = open !== undefined;
    const ends = before === undefined || before.trim() === '' || line.trim() === '';
    const breaks = / {2}$/.test(before ?? '') || isCode || block.test(line) || fence.test(before ?? '');
    const stays = ends || (isMarkdown && breaks);
    shown += before === undefined ? '' : stays ? '\n' : ' ';
    shown += isCode ? line : line.replace(/ {2,}$/, '');
    const mark = isMarkdown ? fence.exec(line)?.[1] : undefined;
    if (open === undefined) open = mark;
    else if (mark !== undefined && mark.length >= open.length && line.trim() === mark) open = undefined;
    before = line;
  }
  return shown;
}
