import type { Cell, PlacedBlock } from './blocks.ts';
import { blockTokens, inlineTokens, lineStarts, type References, type Token } from './grammar.ts';
import { readInline } from './inline.ts';
import { Reader } from './read.ts';

/** One thing that stands at the top level: a block, or a definition, which shows nothing. */
export interface Element {
  readonly from: number;
  readonly to: number;
  /** Where the lines end that decide what it is: its first, and a second that could make that a table's head. */
  readonly decided: number;
  /** Where the lines of a table's rows or a list's items begin. */
  readonly parts: readonly number[];
  readonly block?: PlacedBlock;
}

/** Reads inline content; a cache may stand in between. */
export type InlineReader = (content: string, references: References) => Cell;

export const readContent: InlineReader = (content, references) =>
  readInline(inlineTokens(content, references));

type Place = Pick<Element, 'from' | 'to' | 'decided'>;

function placeOf(source: string, starts: readonly number[], token: Token): Place {
  const [first = 0, end = 0] = token.map ?? [];
  const start = (line: number): number => starts[line] ?? source.length;
  const line = (number: number): string => source.slice(start(number), start(number + 1));
  let last = Math.max(end - 1, first);
  if (token.type !== 'fence') while (last > first && line(last).trim() === '') last--;
  const to = start(last) + line(last).replace(/[\r\n]+$/, '').length;
  return { from: start(first), to, decided: start(first + (line(first).includes('|') ? 2 : 1)) };
}

/** The tokens that begin a part, by the token that begins the block. */
const partTokens: Readonly<Record<string, { readonly type: string; readonly level: number }>> = {
  table_open: { type: 'tr_open', level: 2 },
  bullet_list_open: { type: 'list_item_open', level: 1 },
  ordered_list_open: { type: 'list_item_open', level: 1 },
};

/** The lines on which a block's parts begin; a table's first is its head. */
function partLines(tokens: readonly Token[]): readonly number[] {
  const part = partTokens[tokens[0]?.type ?? ''];
  if (part === undefined) return [];
  const found = tokens.filter(({ type, level }) => type === part.type && level === part.level);
  return (part.type === 'tr_open' ? found.slice(1) : found).map(({ map }) => map?.[0] ?? 0);
}

/**
 * The top level of a source that begins at a line's start.
 * @param references what earlier text defines; what this source defines is added to it
 */
export function parseElements(
  source: string,
  references: References,
  read: InlineReader = readContent,
): Element[] {
  const tokens = blockTokens(source, references);
  const starts = lineStarts(source);
  const reader = new Reader(tokens, (content) => read(content, references));
  const elements: Element[] = [];
  for (let token = reader.peek(); token !== undefined; token = reader.peek()) {
    const place = placeOf(source, starts, token);
    const begin = reader.at;
    const block = reader.block();
    const lines = partLines(tokens.slice(begin, reader.at));
    const parts = lines.map((line) => starts[line] ?? source.length);
    const placed = block === undefined ? {} : { block: { ...block, from: place.from, to: place.to } };
    elements.push({ ...place, parts, ...placed });
  }
  return elements;
}

/**
 * The blocks of a Markdown text: CommonMark with the tables, strikethrough, task items and plain addresses of GitHub's
 * dialect. Raw HTML is text, but for `<br>`, which is a break. Nothing is fetched, refused or interpreted.
 */
export function parse(text: string): readonly PlacedBlock[] {
  return parseElements(text, {}).flatMap(({ block }) => block ?? []);
}
