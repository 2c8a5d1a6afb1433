import { Parser } from 'htmlparser2';
import type { Block } from './chunk.ts';

const SKIPPED = /^(?:script|style|head|nav|noscript|template|svg)$/;
const PARAGRAPH = /^(?:p|div|section|article|blockquote|dd|dt|figcaption|figure|body|main|br)$/;

class Reading {
  readonly blocks: Block[] = [];
  text = '';
  /** Number of open elements whose content is left out, such as scripts. */
  skip = 0;
  /** Level of the heading that is open; 0 if none is. */
  heading = 0;
  code = false;
  /** List items or table rows read so far; undefined if no list or table is open. */
  items: string[] | undefined;
  ordered = false;
  cells: string[] = [];
  rows: string[][] | undefined;
}

/** Reads HTML into blocks: headings, paragraphs, lists, tables, code and images. */
export function readHtml(html: string): readonly Block[] {
  const state = new Reading();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open(state, name, attributes),
      ontext: (text) => {
        if (state.skip === 0) state.text += state.code ? text : text.replace(/\s+/g, ' ');
      },
      onclosetag: (name) => close(state, name),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  flush(state);
  return state.blocks;
}

function open(state: Reading, name: string, attributes: Readonly<Record<string, string>>): void {
  if (SKIPPED.test(name)) state.skip += 1;
  if (state.skip > 0) return;
  if (/^h[1-6]$/.test(name)) {
    flush(state);
    state.heading = Number(name.slice(1));
  } else if (name === 'ul' || name === 'ol') {
    flush(state);
    state.items = [];
    state.ordered = name === 'ol';
  } else if (name === 'table') {
    flush(state);
    state.rows = [];
  } else if (name === 'tr') state.cells = [];
  else if (name === 'td' || name === 'th' || name === 'li') state.text = '';
  else if (name === 'pre') {
    flush(state);
    state.code = true;
  } else if (name === 'img') image(state, attributes);
  else if (PARAGRAPH.test(name) && inFlow(state)) flush(state);
}

function close(state: Reading, name: string): void {
  if (SKIPPED.test(name)) {
    state.skip -= 1;
    return;
  }
  if (state.skip > 0) return;
  if (/^h[1-6]$/.test(name) || name === 'pre' || (PARAGRAPH.test(name) && inFlow(state))) flush(state);
  else if (name === 'li') item(state);
  else if (name === 'td' || name === 'th') {
    state.cells.push(take(state).replaceAll('|', '/'));
  } else if (name === 'tr') state.rows?.push(state.cells);
  else if (name === 'ul' || name === 'ol') endList(state);
  else if (name === 'table') endTable(state);
}

const inFlow = (state: Reading): boolean => state.items === undefined && state.rows === undefined;

function take(state: Reading): string {
  const text = state.code ? state.text : state.text.replace(/\s+/g, ' ').trim();
  state.text = '';
  return text;
}

function flush(state: Reading): void {
  const text = take(state);
  if (text.trim() !== '') {
    if (state.heading > 0) state.blocks.push({ kind: 'heading', level: state.heading, text });
    else if (state.code) state.blocks.push({ kind: 'code', text: `\`\`\`\n${text}\n\`\`\`` });
    else state.blocks.push({ kind: 'paragraph', text });
  }
  state.heading = 0;
  state.code = false;
}

function item(state: Reading): void {
  const text = take(state);
  if (text === '' || state.items === undefined) return;
  state.items.push(state.ordered ? `${state.items.length + 1}. ${text}` : `- ${text}`);
}

function endList(state: Reading): void {
  if (state.items !== undefined && state.items.length > 0) {
    state.blocks.push({ kind: 'list', text: state.items.join('\n') });
  }
  state.items = undefined;
}

function endTable(state: Reading): void {
  const [head, ...rows] = state.rows ?? [];
  if (head !== undefined) {
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    const text = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
    state.blocks.push({ kind: 'table', text });
  }
  state.rows = undefined;
}

function image(state: Reading, attributes: Readonly<Record<string, string>>): void {
  const { src, alt } = attributes;
  if (src === undefined || src === '') return;
  if (inFlow(state)) flush(state);
  state.blocks.push({ kind: 'image', alt: alt ?? '', source: src });
}
