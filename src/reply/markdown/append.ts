import type { Block, Cell, Inline, ListItem } from './blocks.ts';
import { lastLineStart } from './grammar.ts';

/**
 * The place at which text can be appended without a parse: the last text or code of the last block. Only characters
 * without a meaning in Markdown are appended, so the result equals a full parse.
 */
export interface Tail {
  readonly kind: 'inline' | 'code';
  /** Index of the column whose cell grows, in a table. */
  readonly column: number;
  /**
   * Text at the end that is shown only when more text follows: trailing spaces of a paragraph, or a blank line of
   * code.
   */
  readonly held: string;
}

/**
 * Matches characters that may end, begin or undo a Markdown construct. Line ends are included, because they may begin
 * a block. Some spaces are included, because table cells drop trailing spaces.
 */
const meaningful = /[\p{Cc}\u202d\u202e$*_~`[\]<>&\\|/@#)]|(?! )\s/u;
/** Matches characters that can end a code fence, and those that the parser replaces. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what it looks for
const meaningfulInCode = /[`~\r\u0000\u202d\u202e]/;
/**
 * Matches characters that may make the word around them an address or an entity. With each further
 * letter, the word may become or stop being one.
 */
const openWord = /[/@&]/;
const letter = /\p{L}/u;
const space = /\s/;
/**
 * Matches the first half of a surrogate pair. Whether a mark before this half opens a construct depends on the whole
 * character.
 */
const halfCharacter = /[\ud800-\udbff]/;
/**
 * Number of characters at the end of the last text that are compared with the source. Fewer could be equal by chance.
 */
const COMPARED_CHARS = 24;

function replaceLast<Item>(
  items: readonly Item[],
  change: (last: Item) => Item | undefined,
): Item[] | undefined {
  const last = items.at(-1);
  const changed = last === undefined ? undefined : change(last);
  // Long arrays are copied for each addition. The method `with` copies the memory at once; spreading the array would be
  // many times slower.
  return changed === undefined ? undefined : items.with(-1, changed);
}

type Change = (text: string) => string | undefined;

function changeInlines(inlines: Cell, change: Change): readonly Inline[] | undefined {
  return replaceLast(inlines, (last) => {
    const text = last.kind === 'text' ? change(last.text) : undefined;
    return text === undefined ? undefined : { kind: 'text', text };
  });
}

function changeCell(cells: readonly Cell[], column: number, change: Change): readonly Cell[] | undefined {
  const changed = changeInlines(cells[column] ?? [], change);
  return changed && cells.with(column, changed);
}

function changeItem(item: ListItem, tail: Tail, change: Change): ListItem | undefined {
  const children = replaceLast(item.children, (block) => changeLeaf(block, tail, change));
  return children && { ...item, children };
}

/**
 * Returns the block with its last text changed; undefined if the block does not end with the kind of text that the tail
 * names: plain text or code.
 */
function changeLeaf<B extends Block>(block: B, tail: Tail, change: Change): B | undefined {
  if (block.kind === 'code') {
    const text = tail.kind === 'code' ? change(block.text) : undefined;
    return text === undefined ? undefined : { ...block, text };
  }
  if (tail.kind === 'code') return undefined;
  switch (block.kind) {
    case 'paragraph':
    case 'heading': {
      const children = changeInlines(block.children, change);
      return children && { ...block, children };
    }
    case 'quote': {
      const children = replaceLast(block.children, (child) => changeLeaf(child, tail, change));
      return children && { ...block, children };
    }
    case 'list': {
      const items = replaceLast(block.items, (item) => changeItem(item, tail, change));
      return items && { ...block, items };
    }
    case 'table': {
      const rows = replaceLast(block.rows, (row) => changeCell(row, tail.column, change));
      return rows && { ...block, rows };
    }
    default:
      return undefined;
  }
}

/**
 * Returns the end of a line that is plain text so far: everything after its last character with a meaning in
 * Markdown.
 */
function plainEnd(line: string): string {
  for (let at = line.length - 1; at >= 0; at--) {
    if (meaningful.test(line[at] ?? '')) return line.slice(at + 1);
  }
  return line;
}

/** Returns the index of the table column in which an unfinished row ends. */
function columnOf(line: string): number {
  const row = line.trim().replace(/^\|/, '');
  return (row.match(/(?<!\\)\|/g) ?? []).length;
}

/** Returns the text from the beginning of the last word. Searches backwards, because the line may be long. */
function lastWord(line: string): string {
  let at = line.trimEnd().length;
  while (at > 0 && !space.test(line.charAt(at - 1))) at--;
  return line.slice(at);
}

function inlineTail(source: string, last: Block): Tail | undefined {
  if (halfCharacter.test(source.slice(-1))) return undefined;
  const line = source.slice(lastLineStart(source));
  if (!letter.test(line) || openWord.test(lastWord(line)) || source.includes(']:')) return undefined;
  const end = plainEnd(line);
  const shown = end.trimEnd();
  const expected = shown.trimStart().slice(-COMPARED_CHARS);
  if (expected === '') return undefined;
  const tail: Tail = { kind: 'inline', column: columnOf(line), held: end.slice(shown.length) };
  const found = changeLeaf(last, tail, (text) => (text.endsWith(expected) ? text : undefined));
  return found && tail;
}

/**
 * Returns the offset of the line end before a blank last line; the length of the text if its last line is not blank.
 */
function blankLine(text: string): number {
  let at = text.length;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  return text[at - 1] === '\n' ? at - 1 : text.length;
}

function codeTail(source: string, last: Block & { kind: 'code' }): Tail | undefined {
  // A first line with a bar is excluded, because it could still become a table's head.
  const opened = /^(`{3,}|~{3,})[^\n\r|]*\n/.exec(source);
  if (opened === null || source.includes('\r')) return undefined;
  const text = source.slice(opened[0].length);
  const end = blankLine(text);
  if (!/[^ \t\n]/.test(text) || text.slice(0, end) !== last.text) return undefined;
  return { kind: 'code', column: 0, held: text.slice(end) };
}

/**
 * Returns where text can be appended without a parse; undefined if additional text must be parsed.
 * @param source the end of the text that may still change
 * @param last the last block of `source`, which begins at `from` in it
 */
export function findTail(source: string, last: Block, from: number): Tail | undefined {
  return last.kind === 'code' ? codeTail(source.slice(from), last) : inlineTail(source, last);
}

export function isPlain(tail: Tail, addition: string): boolean {
  return !(tail.kind === 'code' ? meaningfulInCode : meaningful).test(addition);
}

/**
 * Returns the offset in the addition from which nothing is shown yet: the start of trailing spaces, or, in code, of a
 * blank line at the end.
 */
function heldFrom(tail: Tail, addition: string): number {
  if (tail.kind === 'code') {
    const end = blankLine(addition);
    return tail.held !== '' && /^[ \t]*$/.test(addition) ? 0 : end;
  }
  let end = addition.length;
  while (end > 0 && addition[end - 1] === ' ') end--;
  return end;
}

/**
 * Returns the block extended by the addition, and its new tail; undefined if the block does not end with plain text
 * or code, as the tail requires.
 */
export function appendPlain<B extends Block>(
  block: B,
  tail: Tail,
  addition: string,
): { readonly block: B; readonly tail: Tail } | undefined {
  const end = heldFrom(tail, addition);
  if (end === 0 && addition[0] !== '\n') return { block, tail: { ...tail, held: tail.held + addition } };
  const shown = tail.held + addition.slice(0, end);
  const changed = changeLeaf(block, tail, (text) => text + shown);
  return changed && { block: changed, tail: { ...tail, held: addition.slice(end) } };
}
