import type { Alignment, Block, Cell, Inline, ListItem, PlacedBlock } from './blocks.ts';
import {
  blockTokens,
  formulaOf,
  inlineTokens,
  lineStarts,
  plainInfo,
  type References,
  type Token,
} from './grammar.ts';
import { readInline } from './inline.ts';

/** A top-level element: a block, or a link definition, which shows nothing. */
export interface Element {
  readonly from: number;
  readonly to: number;
  /**
   * End of the lines that decide the element's kind: the first line, and also the second line if it could make the
   * first line a table's head.
   */
  readonly decided: number;
  /** Offsets at which the rows of a table or the items of a list begin. */
  readonly parts: readonly number[];
  readonly block?: PlacedBlock;
}

/** Reads inline content. Callers may pass a version with a cache. */
type InlineReader = (content: string, references: References) => Cell;

export const readContent: InlineReader = (content, references) =>
  readInline(inlineTokens(content, references));

type Place = Pick<Element, 'from' | 'to' | 'decided'>;

/** @param shift offset in the text at which the source begins */
function placeOf(source: string, starts: readonly number[], token: Token, shift: number): Place {
  const [first = 0, end = 0] = token.map ?? [];
  const start = (line: number): number => starts[line] ?? source.length;
  const line = (number: number): string => source.slice(start(number), start(number + 1));
  let last = Math.max(end - 1, first);
  if (token.type !== 'fence') while (last > first && line(last).trim() === '') last--;
  const to = start(last) + line(last).replace(/[\r\n]+$/, '').length;
  const decided = start(first + (line(first).includes('|') ? 2 : 1));
  return { from: shift + start(first), to: shift + to, decided: shift + decided };
}

/** Types of the tokens that begin a row or an item, by the type of the token that begins the table or list. */
const partTokens: Readonly<Record<string, { readonly type: string; readonly level: number }>> = {
  table_open: { type: 'tr_open', level: 2 },
  bullet_list_open: { type: 'list_item_open', level: 1 },
  ordered_list_open: { type: 'list_item_open', level: 1 },
};

/** For a list, returns the lines on which its items begin; for a table, the lines of the rows below its head. */
function partLines(tokens: readonly Token[]): readonly number[] {
  const part = partTokens[tokens[0]?.type ?? ''];
  if (part === undefined) return [];
  const found = tokens.filter(({ type, level }) => type === part.type && level === part.level);
  return (part.type === 'tr_open' ? found.slice(1) : found).map(({ map }) => map?.[0] ?? 0);
}

/**
 * Returns the top-level elements of a source that begins at the start of a line.
 * @param references link definitions of earlier text; those of this source are added
 * @param shift offset of the source in its text; all offsets of the elements count from the beginning of the text
 */
export function parseElements(
  source: string,
  references: References,
  read: InlineReader = readContent,
  shift = 0,
): Element[] {
  const tokens = blockTokens(source, references);
  const starts = lineStarts(source);
  const reader = new Reader(tokens, (content) => read(content, references));
  const elements: Element[] = [];
  for (let token = reader.peek(); token !== undefined; token = reader.peek()) {
    const place = placeOf(source, starts, token, shift);
    const begin = reader.at;
    const block = reader.block();
    const lines = partLines(tokens.slice(begin, reader.at));
    const parts = lines.map((line) => shift + (starts[line] ?? source.length));
    const placed = block === undefined ? {} : { block: { ...block, from: place.from, to: place.to } };
    elements.push({ ...place, parts, ...placed });
  }
  return elements;
}

/**
 * Returns the blocks of a Markdown text: CommonMark, and the tables, strikethrough, task items and plain addresses of
 * GitHub's dialect. Raw HTML is text, except `<br>`, which is a line break. No address is opened, refused or changed.
 */
export function parse(text: string): readonly PlacedBlock[] {
  return parseElements(text, {}).flatMap(({ block }) => block ?? []);
}

const task = /^\[([ xX])\]\s/;

/** Removes a leading `[ ] ` or `[x] ` from an item's first paragraph. */
function asTask(children: readonly Block[]): ListItem {
  const [first, ...others] = children;
  if (first?.kind !== 'paragraph') return { children };
  const [text, ...inlines] = first.children;
  const mark = text?.kind === 'text' ? task.exec(text.text) : null;
  if (text?.kind !== 'text' || mark === null) return { children };
  const rest = text.text.slice(mark[0].length);
  const content: readonly Inline[] = rest === '' ? inlines : [{ kind: 'text', text: rest }, ...inlines];
  return { done: mark[1] !== ' ', children: [{ kind: 'paragraph', children: content }, ...others] };
}

function alignmentOf(cell: Token): Alignment {
  const style = String(cell.attrGet('style') ?? '');
  const found = /left|center|right/.exec(style)?.[0];
  return found === 'left' || found === 'center' || found === 'right' ? found : 'none';
}

/** Converts the parser's flat list of block tokens into trees. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #inlines: (content: string) => Cell;
  #at = 0;

  /** @param inlines reads the content of one paragraph, heading or cell */
  constructor(tokens: readonly Token[], inlines: (content: string) => Cell) {
    this.#tokens = tokens;
    this.#inlines = inlines;
  }

  /** Number of tokens read. */
  get at(): number {
    return this.#at;
  }

  /** Returns the first token of the next block. */
  peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** Returns the next block; undefined if it is a link definition, which shows nothing. */
  block(): Block | undefined {
    const token = this.#take();
    switch (token?.type) {
      case 'paragraph_open':
        return { kind: 'paragraph', children: this.#content() };
      case 'heading_open':
        return { kind: 'heading', level: Number(token.tag.slice(1)), children: this.#content() };
      case 'blockquote_open':
        return { kind: 'quote', children: this.#until('blockquote_close') };
      case 'bullet_list_open':
        return { kind: 'list', ...this.#items() };
      case 'ordered_list_open':
        return { kind: 'list', start: Number(token.attrGet('start') ?? 1), ...this.#items() };
      case 'table_open':
        return this.#table();
      case 'fence':
      case 'code_block':
        return code(token);
      case 'hr':
        return { kind: 'rule' };
      default:
        return undefined;
    }
  }

  #take(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  #content(): Cell {
    const inline = this.#take();
    this.#at++; // skip the closing token
    return this.#inlines(inline?.content ?? '');
  }

  #until(closing: string): Block[] {
    const blocks: Block[] = [];
    while (this.#at < this.#tokens.length && this.peek()?.type !== closing) {
      const next = this.block();
      if (next !== undefined) blocks.push(next);
    }
    this.#at++;
    return blocks;
  }

  #items(): { readonly tight: boolean; readonly items: readonly ListItem[] } {
    const items: ListItem[] = [];
    let tight = true;
    while (this.peek()?.type === 'list_item_open') {
      tight = this.#isTightItem((this.#take()?.level ?? 0) + 1) && tight;
      items.push(asTask(this.#until('list_item_close')));
    }
    this.#at++;
    return { tight, items };
  }

  /** True if no blank line separates the paragraphs at `depth` in the item that begins here. */
  #isTightItem(depth: number): boolean {
    for (let i = this.#at; (this.#tokens[i]?.level ?? -1) >= depth; i++) {
      const token = this.#tokens[i];
      if (token?.level === depth && token.type === 'paragraph_open' && !token.hidden) return false;
    }
    return true;
  }

  #table(): Block {
    const align: Alignment[] = [];
    const head: Cell[] = [];
    const rows: Cell[][] = [];
    for (
      let token = this.#take();
      token !== undefined && token.type !== 'table_close';
      token = this.#take()
    ) {
      if (token.type === 'th_open') {
        align.push(alignmentOf(token));
        head.push(this.#content());
      } else if (token.type === 'tr_open' && align.length > 0) rows.push([]);
      else if (token.type === 'td_open') rows.at(-1)?.push(this.#content());
    }
    return { kind: 'table', align, head, rows };
  }
}

function code(token: Token): Block {
  const language = token.type === 'fence' ? (plainInfo(token.info).split(/\s/, 1)[0] ?? '') : '';
  return { kind: 'code', language, text: token.content.replace(/\n$/, ''), ...formulaOf(token) };
}
