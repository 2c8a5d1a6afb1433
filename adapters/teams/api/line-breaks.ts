/**
 * Keeps line breaks. Teams joins lines that a single line break separates, in `markdown` and in `plain` (msteams-docs
 * issue 740, teams.py issue 162). In `markdown`, two spaces at the end of the first line keep them apart
 * (botframework-sdk issue 5575). In `plain`, Agents Playground 0.2.28 ignores these spaces, so blank lines separate.
 */

import { type Plain, text } from '../../../src/kit/ladder.ts';

/** Returns the activity with a text whose lines stay apart. */
export function withLineBreaks(activity: Plain): Plain {
  const original = text(activity.text);
  if (original === undefined) return activity;
  // A stream's text only grows. Its last line break waits until the next line shows which break it is.
  const ready = activity.type === 'typing' ? original.replace(/\n+$/, '') : original;
  const isPlain = activity.textFormat === 'plain';
  return { ...activity, text: isPlain ? ready.replace(/(?:\r?\n)+(?=[^\r\n])/g, '\n\n') : apart(ready) };
}

/** Matches a line that opens or closes a block of code. */
const fence = /^`{3,}/;
/** Matches lines that keep their break: blank lines, rows of tables, and lines that end with a hard line break. */
const keeps = /^\s*$|^\|| {2}$|(?:^|[^\\])(?:\\\\)*\\$/;

/**
 * Adds two spaces to each line that another line follows, except in code. What is added to a line depends only on text
 * before the first character of the next line, so the result for a growing text only grows.
 */
function apart(source: string): string {
  const lines = source.split(/\r\n?|\n/);
  let open: string | undefined;
  const parts = lines.map((line, at) => {
    const mark = fence.exec(line)?.[0];
    const isCode = open !== undefined || mark !== undefined;
    if (open === undefined) open = mark;
    else if (mark !== undefined && mark.length >= open.length && line.trim() === mark) open = undefined;
    return isCode || !lines[at + 1] || keeps.test(line) ? line : `${line}  `;
  });
  return parts.join('\n');
}
