/** Lines of a text as the parser counts them: ended by LF, CRLF or CR. */

/** Where each line begins; the last entry is the text's length (a line end at the very end begins no further line). */
export function lineStarts(text: string): number[] {
  const starts = [0];
  const end = /\r\n?|\n/g;
  while (end.exec(text) !== null) starts.push(end.lastIndex);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/** Where the text's last line begins, which may still grow; a CR at the very end may become CRLF and ends nothing yet. */
export function lastLineStart(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text[at];
    if (char === '\n' || (char === '\r' && at < text.length - 1)) return at + 1;
  }
  return 0;
}
