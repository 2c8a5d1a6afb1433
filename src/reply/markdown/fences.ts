/** Finds code fences line by line. */

interface Fence {
  /** The backticks or tildes that opened the fence. */
  readonly marks: string;
  /** The beginning of each further line of the fence: the `>` of quotes, and the indentation of list items. */
  readonly lead: string;
}

const opening = /^((?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*)(`{3,}(?=[^`]*$)|~{3,})/;

/** Returns the fence that is open after a line, given the fence that was open before that line. */
function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const bare = line.replace(/[\r\n]+$/, '');
  if (open === undefined) {
    const found = opening.exec(bare);
    const [, lead = '', marks = ''] = found ?? [];
    return found === null ? undefined : { marks, lead: lead.replace(/[^\s>]/g, ' ') };
  }
  const marks = bare.replace(/^[ \t>]+|[ \t]+$/g, '');
  const closes = marks.length >= open.marks.length && marks === open.marks.charAt(0).repeat(marks.length);
  return closes ? undefined : open;
}

/** Returns the fence that is still open at the end of the text, and the offset after the last closed fence. */
export function scanFences(text: string): { readonly open?: Fence; readonly after: number } {
  let open: Fence | undefined;
  let after = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const next = fenceAfter(line, open);
    at = Math.min(at + line.length + 1, text.length);
    if (open !== undefined && next === undefined) after = at;
    open = next;
  }
  return open === undefined ? { after } : { open, after };
}

/**
 * Returns the text with its open fence closed on a line of its own. If a part of the closing line has arrived
 * already, completes it.
 */
export function closeFence(text: string, fence: Fence): string {
  const last = text.slice(text.lastIndexOf('\n') + 1);
  const begun = last.replace(/^[ \t>]+/, '');
  const char = fence.marks.charAt(0);
  if (begun !== '' && begun === char.repeat(begun.length) && text.includes('\n')) {
    return text + char.repeat(Math.max(fence.marks.length - begun.length, 0));
  }
  return `${text}${last === '' ? '' : '\n'}${fence.lead}${fence.marks}`;
}
