import type { Alignment, Block, Cell, Inline, ListItem } from './blocks.ts';
import { plainInfo, type Token } from './grammar.ts';

/** The parser's flat block tokens as trees. */
export interface Reader {
  /** The next block, or `undefined` for what shows nothing (a definition). */
  block(): Block | undefined;
  /** The token that the next block begins with. */
  peek(): Token | undefined;
}

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

/** @param inlines reads the content of one paragraph, heading or cell */
export function createReader(tokens: readonly Token[], inlines: (content: string) => Cell): Reader {
  let at = 0;
  const peek = (): Token | undefined => tokens[at];
  const take = (): Token | undefined => tokens[at++];

  function content(): Cell {
    const inline = take();
    at++; // the closing token
    return inlines(inline?.content ?? '');
  }

  function until(closing: string): Block[] {
    const blocks: Block[] = [];
    while (at < tokens.length && peek()?.type !== closing) {
      const next = block();
      if (next !== undefined) blocks.push(next);
    }
    at++;
    return blocks;
  }

  function list(opened: Token, closing: string): Block {
    const items: ListItem[] = [];
    let tight = true;
    while (peek()?.type === 'list_item_open') {
      const depth = (take()?.level ?? 0) + 1;
      for (let i = at; i < tokens.length && (tokens[i]?.level ?? 0) >= depth; i++) {
        const token = tokens[i];
        if (token?.level === depth && token.type === 'paragraph_open' && !token.hidden) tight = false;
      }
      items.push(asTask(until('list_item_close')));
    }
    at++;
    const start = closing === 'ordered_list_close' ? { start: Number(opened.attrGet('start') ?? 1) } : {};
    return { kind: 'list', ...start, tight, items };
  }

  function table(): Block {
    const align: Alignment[] = [];
    const head: Cell[] = [];
    const rows: Cell[][] = [];
    for (let token = take(); token !== undefined && token.type !== 'table_close'; token = take()) {
      if (token.type === 'th_open') {
        align.push(alignmentOf(token));
        head.push(content());
      } else if (token.type === 'tr_open' && align.length > 0) rows.push([]);
      else if (token.type === 'td_open') rows.at(-1)?.push(content());
    }
    return { kind: 'table', align, head, rows };
  }

  function code(token: Token): Block {
    const language = token.type === 'fence' ? (plainInfo(token.info).split(/\s/, 1)[0] ?? '') : '';
    return { kind: 'code', language, text: token.content.replace(/\n$/, '') };
  }

  function block(): Block | undefined {
    const token = take();
    switch (token?.type) {
      case 'paragraph_open':
        return { kind: 'paragraph', children: content() };
      case 'heading_open':
        return { kind: 'heading', level: Number(token.tag.slice(1)), children: content() };
      case 'blockquote_open':
        return { kind: 'quote', children: until('blockquote_close') };
      case 'bullet_list_open':
        return list(token, 'bullet_list_close');
      case 'ordered_list_open':
        return list(token, 'ordered_list_close');
      case 'table_open':
        return table();
      case 'fence':
      case 'code_block':
        return code(token);
      case 'hr':
        return { kind: 'rule' };
      default:
        return undefined;
    }
  }

  return { block, peek };
}
