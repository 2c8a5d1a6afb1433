import type { Alignment, Block, Cell, Inline, ListItem } from './blocks.ts';
import { plainInfo, type Token } from './grammar.ts';

const task = /^\[([ xX])\]\s/;

/** Takes a leading `[ ] ` or `[x] ` off an item's first paragraph. */
function asTask(children: readonly Block[]): ListItem {
  const [first, ...others] = children;
  if (first?.kind !== 'paragraph') return { children };
  const [text, ...inlines] = first.children;
  const mark = text?.kind === 'text' ? task.exec(text.text) : null;
  if (text?.kind !== 'text' || mark === null) return { children };
  const rest = text.text.slice(mark[0].length);
  const kept: readonly Inline[] = rest === '' ? inlines : [{ kind: 'text', text: rest }, ...inlines];
  return { done: mark[1] !== ' ', children: [{ kind: 'paragraph', children: kept }, ...others] };
}

function alignmentOf(cell: Token): Alignment {
  const style = String(cell.attrGet('style') ?? '');
  const found = /left|center|right/.exec(style)?.[0];
  return found === 'left' || found === 'center' || found === 'right' ? found : 'none';
}

/** The parser's flat block tokens as trees. */
export class Reader {
  readonly #tokens: readonly Token[];
  readonly #inlines: (content: string) => Cell;
  #at = 0;

  /** @param inlines reads the content of one paragraph, heading or cell */
  constructor(tokens: readonly Token[], inlines: (content: string) => Cell) {
    this.#tokens = tokens;
    this.#inlines = inlines;
  }

  /** How many tokens were read. */
  get at(): number {
    return this.#at;
  }

  /** The token that the next block begins with. */
  peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** The next block, or `undefined` for what shows nothing (a definition). */
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
    this.#at++; // the closing token
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

  /** Whether no paragraph at `depth` stands apart in the item that begins here. */
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
  return { kind: 'code', language, text: token.content.replace(/\n$/, '') };
}
